/** A user is left out behind `//` alone; elsewhere the text is a mail address, which the service refuses. */
const ADDRESS = /^(?:(?:https?:)?\/\/(?:[^/?#@\s]*@)?)?(\[[^\]]*\]|[^/:?#@\s]+?)\.?(?::\d+)?(?:[/?#].*)?$/is;

/** The domain of a pasted web address. Any other text is unchanged: the service explains what is wrong with it. */
export function domainIn(pasted: string): string {
  const text = pasted.trim();
  const host = ADDRESS.exec(text)?.[1];
  return host === undefined ? text : host.replace(/^www\.(?=[^.]+\.)/i, '');
}
