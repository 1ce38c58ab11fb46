import type { IncomingMessage } from 'node:http';
import { traceOf } from './requests';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const of = (traceparent: unknown) => traceOf({ headers: { traceparent } } as unknown as IncomingMessage);

it.each([[`00-${TRACE}-${SPAN}-01`], [`00-${TRACE}-${SPAN}-00`], [`cc-${TRACE}-${SPAN}-01`]])(
  'takes the trace %s on',
  (traceparent) => expect(of(traceparent)).toEqual({ traceparent }),
);

it('takes on what it knows of a later version', () => {
  expect(of(`cc-${TRACE}-${SPAN}-01-what-comes\nnext`)).toEqual({ traceparent: `cc-${TRACE}-${SPAN}-01` });
});

it.each([
  [undefined],
  [''],
  [`ff-${TRACE}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-01-more`],
  [`00-${'0'.repeat(32)}-${SPAN}-01`],
  [`00-${TRACE}-${'0'.repeat(16)}-01`],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-1`],
  [` 00-${TRACE}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-01"}\n{"level":"error"`],
])('ignores %j', (sent) => expect(of(sent)).toEqual({}));
