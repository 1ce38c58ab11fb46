import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { recipientOf } from '../mail/addresses';
import { NotAllowed } from '../../engine/ground/errors';
import type { Refuse } from '../../engine/ground/errors';
import { HasParts } from '../validation/marks';
import { normaliseEmail } from '../validation/parsers';

const MAX_RECIPIENTS = 10;

/** A list of addresses besides the owner's. */
export const AreRecipients = ({ required }: { required: boolean }) =>
  applyDecorators(
    HasParts(checkRecipients),
    ApiProperty({
      type: 'array',
      items: { type: 'string', format: 'email', maxLength: 254 },
      maxItems: MAX_RECIPIENTS,
      required,
      example: ['team@example.com'],
      description:
        'Further addresses. Each gets one mail that asks for confirmation, and no other before it is confirmed. In a day, a user can have 20 addresses asked, and an address is asked three times by all users together.',
    }),
  );

function checkRecipients(sent: unknown, refuse: Refuse): void {
  if (!Array.isArray(sent) || sent.length > MAX_RECIPIENTS)
    return refuse('', `must be a list of at most ${MAX_RECIPIENTS} addresses`);
  const addresses = sent.map(addressOf);
  for (const [index, address] of addresses.entries())
    if (address === undefined) refuse(`.${index}`, 'must be an address that mail can be delivered to');
  const valid = addresses.filter((address) => address !== undefined);
  if (new Set(valid).size < valid.length) refuse('', 'must not contain duplicates');
}

/** Its stored form. Undefined if no mail can be delivered to it. */
export function addressOf(sent: unknown): string | undefined {
  if (typeof sent !== 'string' || !sent.isWellFormed()) return undefined;
  try {
    return recipientOf(normaliseEmail(sent));
  } catch (error) {
    if (error instanceof NotAllowed) return undefined;
    throw error;
  }
}
