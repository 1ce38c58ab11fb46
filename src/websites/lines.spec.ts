import { InvalidFields } from '../../engine/ground/errors';
import { FieldsPipe } from '../validation/fields.pipe';
import { UpdateWebsite } from './dto/update-website.dto';

const pipe = new FieldsPipe();
const check = (sent: object) => pipe.transform(sent, { type: 'body', metatype: UpdateWebsite });

async function messageFor(field: string, value: unknown): Promise<string> {
  const error = (await check({ [field]: value }).catch((thrown: unknown) => thrown)) as InvalidFields;
  return error.errors![field]![0]!;
}

it.each([
  ['exclude_ips', '::1\n\n1.2.3', 'line 3: "1.2.3" is not an IP address or CIDR range'],
  ['exclude_ips', ['::1', '1.2.3'], 'line 2: "1.2.3" is not an IP address or CIDR range'],
  ['exclude_ips', [1], 'must be a text with one entry per line, or an array of texts'],
  ['exclude_params', 'a=b', 'line 1: "a=b" is not a parameter name: it contains a blank, &, = or #'],
  ['exclude_params', ['a\nb'], 'line 1: "a\\nb" has a control character'],
  ['allowed_origins', 'https://a.example', 'line 1: "https://a.example" is not a domain: enter a.example'],
])('says what is wrong with %s', async (field, value, message) => {
  expect(await messageFor(field, value)).toBe(message);
});

it('quotes a line that has a token of class-validator in it', async () => {
  const line = '$value $value $property $constraint1';
  const message = await messageFor('exclude_ips', `${line}\n${'x'.repeat(100_000)}`);
  expect(message.length).toBeLessThan(200);
  expect(JSON.parse(/"[^"]*"/.exec(message)![0])).toBe(line);
});

it('trims lines and leaves empty ones out', async () => {
  expect(await check({ exclude_ips: ' ::1 \r\n\n10.0.0.0/8\r', exclude_params: ' \n ' })).toEqual({
    exclude_ips: '::1\n10.0.0.0/8',
    exclude_params: null,
  });
});

it('stores hosts as those of pages are compared, and the parent of a wildcard with all of its labels', async () => {
  const allowed_origins = 'WWW.a.example\n*.WWW.b.example\n*.www.www.münchen.example';
  expect(await check({ allowed_origins })).toEqual({
    allowed_origins: 'a.example\n*.www.b.example\n*.www.www.xn--mnchen-3ya.example',
  });
});
