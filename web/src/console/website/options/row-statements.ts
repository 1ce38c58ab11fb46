const NAMED = (table: string, id: number) => `FROM hit_days JOIN ${table} ON hit.website = hit_days.website_id
  AND hit.day = hit_days.day AND hit.version = hit_days.segment
WHERE hit_days.website_id = ${id} AND hit_days.home = 1`;

/** Statements that read the rows of a website in any SQL tool, by what they ask for. */
export const ROW_STATEMENTS = {
  pages: (id: number) => `SELECT hit.page, COUNT(*) AS pageviews
${NAMED('hits hit', id)} AND hit.event IS NULL
GROUP BY hit.page ORDER BY pageviews DESC LIMIT 10;`,
  visitors: (id: number) => `SELECT hit.day, COUNT(DISTINCT hit.visitor) AS visitors
${NAMED('hits hit', id)} AND hit.is_known = 1
GROUP BY hit.day ORDER BY hit.day;`,
  properties: (id: number) => `SELECT hit.name, hit.value, COUNT(*) AS events
${NAMED('hit_properties hit', id)}
GROUP BY hit.name, hit.value ORDER BY events DESC LIMIT 10;`,
} as const;
