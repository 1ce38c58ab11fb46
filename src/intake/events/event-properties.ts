import { withoutEmailAddress } from '../../derive/page/page-address';
import { isPrivate } from '../../derive/page/removed-parameters';
import { amountOf, isCurrency } from '../../../engine/hits/events/amount';
import type { Property } from '../../../engine/hits/fields';
import { NotAllowed } from '../../../engine/ground/errors';
import { type Fields, SENT_TWICE } from '../../validation/fields';

/** The checked optional details of an event, without fields that are not stored. */
export interface EventDetails {
  name: string;
  properties: Property[] | null;
  /** An amount in the format of hits. */
  value: string | null;
  currency: string | null;
  isPassive: boolean;
  /** Approximate size in memory. */
  bytes: number;
}

const MAX_PROPERTIES = 20;
const MAX_NAME_LENGTH = 64;
const MAX_TEXT_LENGTH = 255;
const BYTES_PER_PROPERTY = 100;
const BYTES_PER_CHARACTER = 2;
const FIELDS = ['name', 'props', 'value', 'currency', 'passive'];

/** Part of the schema of an event. */
export const EVENT_SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, example: 'purchase' },
    props: {
      type: 'object',
      nullable: true,
      maxProperties: MAX_PROPERTIES,
      additionalProperties: {
        anyOf: [{ type: 'string', maxLength: MAX_TEXT_LENGTH }, { type: 'number' }, { type: 'boolean' }],
      },
      example: { plan: 'team', seats: 5 },
      description: `Up to ${MAX_PROPERTIES} properties with names of 1 to ${MAX_NAME_LENGTH} characters.`,
    },
    value: {
      anyOf: [{ type: 'number' }, { type: 'string' }],
      nullable: true,
      example: '49.90',
      description:
        'An amount of the currency: at most 15 digits, up to 4 of them behind the point; may be negative.',
    },
    currency: {
      type: 'string',
      nullable: true,
      pattern: '^([A-Z]{3})?$',
      example: 'EUR',
      description: 'The ISO 4217 code of the currency of the value. Send both or neither.',
    },
    passive: {
      type: 'boolean',
      nullable: true,
      example: false,
      description:
        'Whether the event counts without ending a bounce or lengthening a visit; by default false.',
    },
  },
  additionalProperties: false,
} as const;

export function eventDetails(sent: unknown): EventDetails | null {
  if (sent === undefined || sent === null) return null;
  const { name, props, value, currency, passive } = fieldsOf(sent);
  if (typeof name !== 'string' || name === '') throw new NotAllowed('name must be a text that is not empty');
  const properties = isAbsent(props) ? null : readProperties(props);
  const isPassive = readPassive(passive);
  return { name, properties, ...readMoney(value, currency), isPassive, bytes: bytesOf(name, properties) };
}

function readPassive(sent: unknown): boolean {
  if (isAbsent(sent)) return false;
  if (typeof sent !== 'boolean') throw new NotAllowed('passive must be true or false');
  return sent;
}

function fieldsOf(sent: unknown): Fields {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new NotAllowed('must be an object like {"name": "signup"}');
  const unknown = Object.keys(sent).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined)
    throw new NotAllowed(
      `has ${quoted(unknown)}, which is not a known field (allowed: ${FIELDS.join(', ')})`,
    );
  return sent as Fields;
}

function readMoney(value: unknown, currency: unknown): Pick<EventDetails, 'value' | 'currency'> {
  if (isAbsent(value) && isAbsent(currency)) return { value: null, currency: null };
  if (isAbsent(value)) throw new NotAllowed('currency needs a value with it');
  if (isAbsent(currency)) throw new NotAllowed('value needs a currency with it, such as EUR');
  return { value: readAmount(value), currency: readCurrency(currency) };
}

function isAbsent(sent: unknown): boolean {
  return sent === undefined || sent === null || sent === '';
}

function readAmount(sent: unknown): string {
  const amount = typeof sent === 'number' || typeof sent === 'string' ? amountOf(String(sent)) : undefined;
  if (amount === undefined)
    throw new NotAllowed(
      'value must be a number, or a text like "-19.90", with at most 15 digits, up to 4 of them after the point',
    );
  return amount;
}

function readCurrency(sent: unknown): string {
  if (!isCurrency(sent)) throw new NotAllowed('currency must be an ISO 4217 code like EUR');
  return sent;
}

function readProperties(sent: unknown): Property[] | null {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new NotAllowed('props must be an object like {"plan": "team"}');
  const entries = Object.entries(sent);
  if (entries.length > MAX_PROPERTIES)
    throw new NotAllowed(`props must have at most ${MAX_PROPERTIES} names`);
  const properties = new Map<string, Property[1]>();
  for (const [name, value] of entries) {
    const checked = readProperty(name, value);
    if (!isPrivate(name)) properties.set(name.toWellFormed(), checked);
  }
  return properties.size === 0 ? null : [...properties];
}

function readProperty(name: string, value: unknown): Property[1] {
  if (name === '' || isLonger(name, MAX_NAME_LENGTH))
    throw new NotAllowed(
      `props has a name that is not 1 to ${MAX_NAME_LENGTH} characters long: ${quoted(name)}`,
    );
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (typeof value === 'string' && !isLonger(value, MAX_TEXT_LENGTH))
    return withoutEmailAddress(value).toWellFormed();
  if (value === SENT_TWICE) throw new NotAllowed(`props[${quoted(name)}] must be sent once`);
  throw new NotAllowed(
    `props[${quoted(name)}] must be a string (max ${MAX_TEXT_LENGTH} characters), a finite number or a boolean`,
  );
}

/** The length in code points; `length` counts UTF-16 units. */
function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || [...text].length > most);
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function bytesOf(name: string, properties: Property[] | null): number {
  let bytes = BYTES_PER_CHARACTER * name.length;
  for (const [property, value] of properties ?? [])
    bytes +=
      BYTES_PER_PROPERTY +
      BYTES_PER_CHARACTER * (property.length + (typeof value === 'string' ? value.length : 0));
  return bytes;
}
