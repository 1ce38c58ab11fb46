import { signatureOf } from './signature';

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
