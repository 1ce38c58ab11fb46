import type { ArgumentMetadata } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsEmail, IsOptional, Length, ValidateNested } from 'class-validator';
import { InvalidFields } from '../../engine/ground/errors';
import { UnsupportedBody } from '../common/problems';
import { formFields, NoFields, SENT_TWICE } from './fields';
import { FieldsPipe } from './fields.pipe';
import { AsSent, HasParts, IsListOf } from './marks';
import {
  Clearable,
  IfSent,
  IsDateTime,
  IsFlag,
  IsOneOf,
  IsPositiveInteger,
  NotBeside,
  Required,
} from './rules';

class Sender {
  @IsEmail()
  email!: string;
}

class Example {
  @Required()
  @IsOneOf(['a', 'b'])
  kind!: string;

  @IfSent()
  @IsOneOf([0, 1, 2])
  number: number = 1;

  @IfSent()
  @IsPositiveInteger()
  page?: number;

  @IfSent()
  @IsFlag()
  flag?: boolean;

  @Clearable()
  @IsDateTime()
  moment?: Date | null;

  @IsOptional()
  @Length(2, 3)
  @IsEmail()
  plain?: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Sender)
  sender?: Sender;
}

const pipe = new FieldsPipe();
const check = (sent: unknown, metatype: ArgumentMetadata['metatype'] = Example) =>
  pipe.transform(sent, { type: 'body', metatype });

async function errorsOf(sent: unknown, metatype?: ArgumentMetadata['metatype']) {
  const error: unknown = await check(sent, metatype).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidFields);
  return { ...(error as InvalidFields).errors };
}

const form = (fields: object) => Object.assign(formFields(), fields);

it('makes an instance of the DTO, with its defaults', async () => {
  const checked = await check({ kind: 'a' });
  expect(checked).toBeInstanceOf(Example);
  expect(checked).toEqual({ kind: 'a', number: 1 });
});

it.each([
  ['a form', form({ kind: 'b', number: '0', page: '7', flag: 'true', moment: '2026-01-31T12:00:00' })],
  ['JSON', { kind: 'b', number: 0, page: 7, flag: true, moment: '2026-01-31T12:00:00Z' }],
])('reads numbers, flags and moments of %s', async (_, sent) => {
  const moment = new Date('2026-01-31T12:00:00Z');
  expect(await check(sent)).toEqual({ kind: 'b', number: 0, page: 7, flag: true, moment });
});

it.each([null, ''])('clears clearable fields by %j, and rejects it for others', async (empty) => {
  expect(await check({ kind: 'a', moment: empty })).toMatchObject({ moment: null });
  expect(await errorsOf({ kind: 'a', number: empty })).toEqual({ number: ['must be one of 0, 1, 2'] });
});

it.each([' 1', '01', '+1', '1e0', '0x1', '1.0', '-1', '٠', '3', NaN, 1.5, true, [], ['1'], {}])(
  'does not take %p for a number',
  async (number) => {
    expect(await errorsOf({ kind: 'a', number })).toEqual({ number: ['must be one of 0, 1, 2'] });
  },
);

it.each(['0', '9007199254740993', 9007199254740992, Infinity, '1e3'])(
  'does not take %p for a page',
  async (page) => {
    expect(await errorsOf({ kind: 'a', page })).toEqual({ page: ['must be a positive integer'] });
  },
);

it('refuses a Z in a form, and a moment that is none', async () => {
  const message = ['must be a UTC date-time from 1970 on, like 2026-01-31T12:00:00'];
  expect(await errorsOf(form({ kind: 'a', moment: '2026-01-31T12:00:00Z' }))).toEqual({ moment: message });
  for (const moment of ['2026-02-30T00:00:00', 1769860800, true, new Date(0)])
    expect(await errorsOf({ kind: 'a', moment })).toEqual({ moment: message });
});

it('obeys rules of class-validator, and leaves the name out of their messages', async () => {
  expect(await check({ kind: 'a', plain: undefined })).toMatchObject({ kind: 'a' });
  expect(await errorsOf({ kind: 'a', plain: 'xy' })).toEqual({ plain: ['must be an email'] });
  expect(await errorsOf({ kind: 'a', sender: { email: 'x' } })).toEqual({
    'sender.email': ['must be an email'],
  });
  expect(await check({ kind: 'a', sender: { email: 'a@b.example' } })).toMatchObject({
    sender: { email: 'a@b.example' },
  });
});

it('names every field that is wrong at once', async () => {
  expect(await errorsOf({ number: 9, page: 0, more: 1 })).toEqual({
    kind: ['is required'],
    number: ['must be one of 0, 1, 2'],
    page: ['must be a positive integer'],
    more: ['is not a known field (allowed: kind, number, page, flag, moment, plain, sender)'],
  });
});

it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
  'refuses the unknown name %j',
  async (name) => {
    const sent = JSON.parse(`{"kind":"a","${name}":"x"}`) as object;
    expect(Object.keys(await errorsOf(sent))).toEqual([name]);
    expect(Object.keys(await errorsOf(JSON.parse(`{"${name}":"x"}`), NoFields))).toEqual([name]);
  },
);

it('names 20 unknown fields at most, by 100 characters', async () => {
  const sent = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}${'x'.repeat(1000)}`, 1]));
  const names = Object.keys(await errorsOf(sent, NoFields));
  expect(names).toHaveLength(20);
  expect(names.every((name) => name.length === 100)).toBe(true);
});

it('accepts nothing if a DTO has no fields', async () => {
  expect(await check({}, NoFields)).toBeInstanceOf(NoFields);
  expect(await check(undefined, NoFields)).toBeInstanceOf(NoFields);
  expect(await errorsOf({ a: 1 }, NoFields)).toEqual({
    a: ['is not a known field (no fields are accepted)'],
  });
});

it.each(['text', 1, [], true])('does not take %j for an object of fields', async (sent) => {
  expect(await errorsOf(sent)).toEqual({ body: ['must be an object of fields'] });
});

it.each([
  [SENT_TWICE, 'must be sent once'],
  ['\ud800', 'must be well-formed Unicode text'],
  [['\ud800'], 'must be well-formed Unicode text'],
  [Array(10_001).fill(1), 'must contain fewer values'],
  [JSON.parse('['.repeat(5000) + ']'.repeat(5000)) as unknown, 'must contain fewer values'],
])('refuses a value before any rule sees it', async (kind, message) => {
  expect(await errorsOf({ kind })).toEqual({ kind: [message] });
});

class Basket {
  @HasParts((sent, refuse, { limit }: { limit?: unknown }) => {
    for (const [index, one] of [sent].flat().entries())
      if (Number(one) > Number(limit ?? 9)) refuse(`.${index}`, 'must not be so large');
  })
  @NotBeside('baskets')
  numbers!: number[];

  @IfSent()
  @AsSent((sent) => JSON.stringify(sent))
  limit?: string;

  @IfSent()
  @IsListOf(() => Basket, 2)
  baskets?: Basket[];
}

it('names the place of each part that is wrong', async () => {
  expect(await errorsOf({ numbers: [1, 11, 12], limit: 5 }, Basket)).toEqual({
    'numbers.1': ['must not be so large'],
    'numbers.2': ['must not be so large'],
  });
  expect(await errorsOf({ baskets: [{ numbers: [1, 11] }, 7] }, Basket)).toMatchObject({
    'baskets.0.numbers.1': ['must not be so large'],
    'baskets.1': ['must be an object of fields'],
  });
  const unknown = JSON.parse('{"baskets":[{"numbers":[],"__proto__":1}]}') as object;
  expect(Object.keys(await errorsOf(unknown, Basket))).toEqual(['baskets.0.__proto__']);
});

it('takes lists of objects of a length, and nothing beside them', async () => {
  expect(await check({ baskets: [{ numbers: [1] }] }, Basket)).toEqual({ baskets: [{ numbers: [1] }] });
  expect(await errorsOf({ baskets: [], numbers: [] }, Basket)).toEqual({
    baskets: ['must not be empty'],
    numbers: ['cannot be combined with "baskets"'],
  });
  for (const baskets of [
    7,
    null,
    {},
    [{}, {}, {}],
    JSON.parse('['.repeat(5000) + ']'.repeat(5000)) as unknown,
  ])
    expect(Object.keys(await errorsOf({ baskets }, Basket))[0]).toMatch(/^baskets/);
});

it('rejects a form if a value has parts', async () => {
  await expect(check(form({ numbers: '1' }), Basket)).rejects.toBeInstanceOf(UnsupportedBody);
});

it('leaves everything else alone', async () => {
  expect(await pipe.transform('010', { type: 'param', metatype: Number })).toBe('010');
  expect(await pipe.transform({ a: 1 }, { type: 'custom', metatype: Example })).toEqual({ a: 1 });
});
