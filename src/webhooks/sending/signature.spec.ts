import { signatureOf, standardHeaders } from './signature';

it('is that of the moment and the text, under the whole secret', () => {
  expect(signatureOf('whsec_abc', '{"id":"1"}', 1_800_000_000_999)).toBe(
    't=1800000000,v1=c86f427e249de5b570cae156768ce366abe7f692a27ab3bad09b94c52f8bba9f',
  );
});

it('differs with the secret, the text and the second', () => {
  const signed = [
    signatureOf('whsec_abc', 'a', 0),
    signatureOf('whsec_abd', 'a', 0),
    signatureOf('whsec_abc', 'b', 0),
    signatureOf('whsec_abc', 'a', 1000),
  ];
  expect(new Set(signed.map((own) => own.split('v1=')[1])).size).toBe(4);
});

describe('the headers of Standard Webhooks', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const sent = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };

  it('are those of the example of its libraries', () =>
    expect(standardHeaders(secret, sent, 1_614_265_330_999)).toEqual({
      'webhook-id': sent.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }));

  it.each(['-', 'a'])('are missing with an older secret, of 43 characters such as %s', (character) =>
    expect(standardHeaders(`whsec_${character.repeat(43)}`, sent, 0)).toEqual({}),
  );
});
