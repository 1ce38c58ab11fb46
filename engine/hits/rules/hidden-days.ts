/** With fewer visitors, viewers of a shared page see no details of days. */
export const ENOUGH_VISITORS = 10;
