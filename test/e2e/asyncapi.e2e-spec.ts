import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { asyncApiDocument } from '../../src/messages/asyncapi';
import { startApp, type TestApp } from '../support/test-app';

const FILE = `${__dirname}/../../asyncapi.json`;

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.stop());

it('is kept in the repository as it is made', () => {
  const text = `${JSON.stringify(asyncApiDocument(service.app), null, 2)}\n`;
  if (process.env.UPDATE_OPENAPI) writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});

it('has only references that lead somewhere', () => {
  const document = JSON.parse(readFileSync(FILE, 'utf8'));
  for (const [, pointer] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = pointer!.split('/').reduce((node, part) => node?.[part], document);
    expect({ pointer, isFound: found !== undefined }).toEqual({ pointer, isFound: true });
  }
});

it('describes each request so that one can be checked by it', () => {
  const document = JSON.parse(readFileSync(FILE, 'utf8'));
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'asyncapi');
  const allows = (pattern: string, message: object) =>
    ajv.validate({ $ref: `asyncapi#/components/messages/${pattern}/payload` }, message);
  const range = { from: '2026-01-01', to: '2026-01-31' };
  expect(allows('stats.show', { key: 'k', website_id: 1, name: 'page', ...range })).toBe(true);
  expect(allows('stats.show', { website_id: 1, name: 'page', ...range })).toBe(false);
  expect(allows('stats.show', { key: 'k', website_id: 1, name: 'colour', ...range })).toBe(false);
  expect(allows('websites.store', { key: 'k' })).toBe(false);
});

it('names the schema of each message, and tells how messages travel over each transport', () => {
  const document = JSON.parse(readFileSync(FILE, 'utf8'));
  for (const message of Object.values<any>(document.components.messages))
    expect(Object.keys(message.payload)).toEqual(['$ref']);
  const protocols = Object.values<any>(document.servers).map(({ protocol }) => protocol);
  expect(protocols).toEqual(['tcp', 'nats', 'redis', 'amqp']);
  for (const { description } of Object.values<any>(document.servers))
    expect(description).toContain('RequestPacket');
});
