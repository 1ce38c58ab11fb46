/** How far away a host can be reached: from this computer, its network, or anywhere. */
const REACHES = ['computer', 'network', 'anywhere'] as const;
export type Reach = (typeof REACHES)[number];

const OF_COMPUTER = /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;
const OF_NETWORK =
  /^(10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|169\.254(\.\d+){2}|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])(\.\d+){2}|\[f[cd][\da-f]{2}:.*\]|\[fe[89ab][\da-f]:.*\]|[^.[]+|.+\.(local|internal|lan|home\.arpa))$/;

function reachOf(host: string): Reach {
  const name = host.toLowerCase();
  if (OF_COMPUTER.test(name)) return 'computer';
  return OF_NETWORK.test(name) ? 'network' : 'anywhere';
}

/** The reach of the service, if visitors of a website come from further away. */
export function tooNear(base: string, domain: string): Exclude<Reach, 'anywhere'> | undefined {
  const own = reachOf(new URL(base).hostname);
  const isTooNear = REACHES.indexOf(own) < REACHES.indexOf(reachOf(domain));
  return isTooNear && own !== 'anywhere' ? own : undefined;
}
