/** The texts of pages that need no script; those of the others are in `web/src/texts.ts`. */
export const WORDS = {
  language: 'en',
  console: 'Milepost',
  statisticsOf: (domain: string) => `Statistics of ${domain}`,
  needsScript: 'These statistics are drawn by a script. Please allow scripts for this page.',
  password: {
    title: 'Protected statistics',
    text: (domain: string) => `The statistics of ${domain} are shown to those who know their password.`,
    label: 'Password',
    button: 'Show the statistics',
    empty: 'Enter the password.',
    wrong: 'That is not the password. Try again, or ask the owner of the website.',
    limited: (minutes: number) =>
      `Too many wrong passwords were tried. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    busy: 'Too many passwords are being tried at the moment. Try again in a few seconds.',
  },
  problems: {
    400: { title: 'This address cannot be read', text: 'Please check it, or go back to where you found it.' },
    404: {
      title: 'There is nothing to see here',
      text: 'There are no statistics at this address, or they are private. Whoever gave it to you can check both.',
    },
    429: { title: 'Too many requests', text: 'Please wait a minute, and reload the page.' },
    503: { title: 'Not available right now', text: 'Please wait a moment, and reload the page.' },
    other: { title: 'That did not work', text: 'Please go back and try again.' },
  },
} as const;
