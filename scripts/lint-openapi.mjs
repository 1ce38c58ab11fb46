import { readFileSync } from 'node:fs';
import { createConfig, lint } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

/** Prints the findings of Redocly's and Spectral's recommended rules in openapi.json, warnings included. */
const FILE = 'openapi.json';

const redocly = await lint({ ref: FILE, config: await createConfig({ extends: ['recommended'] }) });
const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [[spectralRulesets.oas, 'recommended']] });

const findings = [
  ...redocly.map(({ ruleId, message, location }) => `redocly ${ruleId}: ${message} ${location[0]?.pointer}`),
  ...(await spectral.run(readFileSync(FILE, 'utf8'))).map(
    ({ code, message, path }) => `spectral ${code}: ${message} ${path.join('/')}`,
  ),
];
for (const finding of findings) console.error(finding);
process.exitCode = findings.length > 0 ? 1 : 0;
