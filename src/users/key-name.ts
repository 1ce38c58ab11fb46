import { NotAllowed } from '../validation/fields';

export function keyName(text: string): string {
  const name = text.trim();
  if (!/^\P{Cc}{1,100}$/u.test(name))
    throw new NotAllowed('must have 1 to 100 characters, and no control characters');
  return name;
}
