import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createConfig, lint } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { Ajv } from 'ajv';

/** Prints what Redocly's and Spectral's recommended rules find in openapi.json, and AsyncAPI's schema in asyncapi.json. */
const OPENAPI = 'openapi.json';
const ASYNCAPI = 'asyncapi.json';

const redocly = await lint({ ref: OPENAPI, config: await createConfig({ extends: ['recommended'] }) });
const spectral = new spectralCore.Spectral();
spectral.setRuleset({
  extends: [[spectralRulesets.oas, 'recommended']],
  // It does not know `prefixItems` of OpenAPI 3.1.
  rules: { 'array-items': 'off' },
});

const findings = [
  ...redocly.map(({ ruleId, message, location }) => `redocly ${ruleId}: ${message} ${location[0]?.pointer}`),
  ...(await spectral.run(readFileSync(OPENAPI, 'utf8'))).map(
    ({ code, message, path }) => `spectral ${code}: ${message} ${path.join('/')}`,
  ),
  ...asyncapiFindings(),
];
for (const finding of findings) console.error(finding);
process.exitCode = findings.length > 0 ? 1 : 0;

function asyncapiFindings() {
  const schema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json');
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false });
  const validate = ajv.compile(schema);
  validate(JSON.parse(readFileSync(ASYNCAPI, 'utf8')));
  return (validate.errors ?? []).map(({ instancePath, message }) => `asyncapi ${instancePath} ${message}`);
}
