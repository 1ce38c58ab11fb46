import { NotAllowed } from '../validation/fields';

/** An address in the one form in which it is stored. */
export function normaliseEmail(sent: string): string {
  const email = sent.trim();
  if (!/^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email) || email.length > 254)
    throw new NotAllowed('must be an email address with at most 254 characters');
  return email.toLowerCase();
}
