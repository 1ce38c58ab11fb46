import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../support/documentation';
import { startApp } from '../../support/test-app';

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const OPERATIONS = 'docs/operations';

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
const dashboard = JSON.parse(textOf(`${OPERATIONS}/dashboard.json`)) as { panels: Panel[] };
/** Grafana replaces these. */
const expressions = dashboard.panels.flatMap(({ targets = [] }) =>
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')),
);

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'milepost-rules-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function promtool(parameters: string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', parameters, { input, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

it('has alert rules that Prometheus takes', () => {
  expect(promtool(['check', 'rules', join(ROOT, OPERATIONS, 'alerts.yaml')])).toBe('');
});

it('has a dashboard whose expressions Prometheus takes', () => {
  const rules = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }));
  const path = join(folder, 'rules.yaml');
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(promtool(['check', 'rules', path])).toBe('');
});

it('asks only for measures and labels that there are', () => {
  const page = textOf(`${OPERATIONS}/metrics.md`);
  const labels = new Map(
    [...page.matchAll(/^\| `(milepost_\w+)` +\| .+? +\| (\w+) +\| (.*?) +\|$/gm)].map(([, name, , of]) => [
      name!,
      [...of!.matchAll(/`(\w+)`/g)].map(([, label]) => label!),
    ]),
  );
  const all = [...expressions, textOf(`${OPERATIONS}/alerts.yaml`)].join('\n');
  for (const [, name, matchers = ''] of all.matchAll(/(milepost_\w+?)(?:_bucket)?\b(?:\{([^}]*)\})?/g)) {
    expect([...labels.keys()]).toContain(name);
    const asked = [...matchers.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label]) => label!);
    expect(['instance', ...labels.get(name!)!]).toEqual(expect.arrayContaining(asked));
  }
  const grouped = [...all.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(', '));
  expect(['instance', 'le', ...[...labels.values()].flat()]).toEqual(expect.arrayContaining(grouped));
});

it('has measures that Prometheus reads, with names as it wants them', async () => {
  const service = await startApp();
  const { text } = await service.api.get('/metrics', { headers: { Accept: 'text/plain' } });
  await service.stop();
  const blocks = text.split('\n\n').filter((block) => block.startsWith('# HELP milepost_'));
  expect(blocks.length).toBeGreaterThan(30);
  expect(promtool(['check', 'metrics'], `${blocks.join('\n')}\n`)).toBe('');
});

it('says what to do about each warning', () => {
  const codes = ['engine/columns', 'src/retention', 'src/health']
    .flatMap((of) => readdirSync(join(ROOT, of), { recursive: true }).map((name) => `${of}/${String(name)}`))
    .filter((path) => path.endsWith('.ts') && !path.includes('.spec.'))
    .map(textOf)
    .filter((text) => /warnings?\b/i.test(text))
    .flatMap((text) => [...text.matchAll(/\bcode: '(\w+)'/g)].map(([, code]) => code!));
  const described = [...textOf(`${OPERATIONS}/warnings.md`).matchAll(/^## (\w+)$/gm)].map(
    ([, code]) => code!,
  );
  expect(described.sort()).toEqual([...new Set(codes)].sort());
});
