import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { assert, asyncProperty, constantFrom, property, record } from 'fast-check';
import openapi from '../../../openapi.json';
import { InvalidFields } from '../../../engine/ground/errors';
import { BROWSER_FIELDS, SERVER_FIELDS } from '../../intake/events/event-fields';
import { parseBrowserEvent, parseServerEvent } from '../../intake/events/event';
import { SENT_TWICE } from '../../validation/fields';
import { fieldsAs } from '../../validation/fields.pipe';
import { BrowserEventDto, ServerEventDto } from './event-batch.dto';

const ajv = new Ajv({ strict: false });
(addFormats.default as (to: Ajv) => unknown)(ajv);
ajv.addSchema(openapi, 'openapi');

/** Values of every kind, most of them valid for one field. An empty text counts as absent, so there is none. */
const VALUES = [
  undefined,
  null,
  1,
  true,
  [],
  {},
  'x',
  'x'.repeat(300),
  'x'.repeat(9000),
  'https://example.com/a?b=c',
  `https://example.com/${'x'.repeat(9000)}`,
  'example.com',
  'de-DE',
  '1920x1080',
  '0x0',
  { name: 'signup' },
  { name: '' },
  { name: 1 },
  '5d3c1a52-8a59-4a3e-9a44-0a3a4f4c2f10',
  '203.0.113.7',
  '2026-01-31T12:00:00Z',
  '2026-02-30T12:00:00Z',
];

describe.each([
  ['BrowserEvent', BROWSER_FIELDS, parseBrowserEvent, BrowserEventDto],
  ['ServerEvent', SERVER_FIELDS, parseServerEvent, ServerEventDto],
] as const)('%s', (name, fields, parse, dto) => {
  const isDocumented = ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
  const isAccepted = (sent: object) => {
    try {
      parse(sent);
      return true;
    } catch (error) {
      if (error instanceof InvalidFields) return false;
      throw error;
    }
  };
  const examples = Object.fromEntries(
    Object.entries(fields).map(([field, { schema }]) => [field, schema.example as unknown]),
  );

  it('accepts its documented examples', () => {
    expect(isAccepted(examples)).toBe(true);
    expect(isDocumented(examples)).toBe(true);
  });

  it('accepts nothing that is not documented', () => {
    const anyEvent = record(
      Object.fromEntries(
        Object.entries(examples).map(([field, example]) => [
          field,
          constantFrom(...VALUES, ...Array<unknown>(VALUES.length * 3).fill(example)),
        ]),
      ),
    );
    let accepted = 0;
    assert(
      property(anyEvent, (event) => {
        if (!isAccepted(event)) return;
        accepted++;
        const sent = JSON.parse(JSON.stringify(event)) as object;
        expect([isDocumented(sent), isDocumented.errors]).toEqual([true, null]);
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  const wrongFieldsOf = async (check: () => unknown) => {
    try {
      await check();
      return [];
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      return Object.keys(error.errors!).sort();
    }
  };

  it('is refused by its decorators and by the parser for the same fields', async () => {
    const others = [SENT_TWICE, '', '\ud800', { name: 'a', props: { b: SENT_TWICE } }];
    const anyEvent = record(
      Object.fromEntries(
        [...Object.entries(examples), ['toString', undefined] as const].map(([field, example]) => [
          field,
          constantFrom(...VALUES, ...others, ...Array<unknown>(VALUES.length * 3).fill(example)),
        ]),
      ),
      { requiredKeys: [] },
    );
    const same = asyncProperty(anyEvent, async (event) => {
      const sent = Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined));
      const ofDecorators = await wrongFieldsOf(() => fieldsAs<object>(dto, sent));
      expect([sent, ofDecorators]).toEqual([sent, await wrongFieldsOf(() => parse(sent))]);
    });
    await assert(same, { numRuns: 1000 });
  });

  it.each(Object.keys(fields))('rejects values of %s that are documented as wrong', (field) => {
    for (const value of VALUES) {
      const sent = JSON.parse(JSON.stringify({ ...examples, [field]: value })) as object;
      if (!isDocumented(sent)) expect([field, value, isAccepted(sent)]).toEqual([field, value, false]);
    }
  });
});
