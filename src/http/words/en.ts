import type { Language } from '../../../engine/ground/languages';

/** The texts of pages without a script. The other texts are in `web/src/shared/language/`. */
export const en = {
  language: 'en' as Language,
  console: 'Milepost',
  home: 'Go to the start page',
  statisticsOf: (domain: string) => `Statistics of ${domain}`,
  needsScript: 'These statistics are drawn by a script. Please allow scripts for this page.',
  password: {
    title: 'Protected statistics',
    text: (domain: string) => `Enter the password to view the statistics of ${domain}.`,
    label: 'Password',
    button: 'View statistics',
    empty: 'Enter the password.',
    wrong: 'Wrong password. Try again, or ask the owner of the website.',
    limited: (minutes: number) =>
      `Too many wrong passwords were tried. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    busy: 'Too many passwords are being tried at the moment. Try again in a few seconds.',
  },
  problems: {
    400: { title: 'This address cannot be read', text: 'Please check it, or go back to where you found it.' },
    404: {
      title: 'Page not found',
      text: 'There is nothing at this address, or it is private. Check the address, or ask the person who sent you the link.',
    },
    429: { title: 'Too many requests', text: 'Please wait a minute, and reload the page.' },
    503: { title: 'Not available right now', text: 'Please wait a moment, and reload the page.' },
    other: { title: 'That did not work', text: 'Please go back and try again.' },
  },
  unsubscribe: {
    asks: {
      title: (domain: string) => `Stop the email reports about ${domain}?`,
      text: 'You can switch them on again in the options of the website.',
      button: 'Stop the reports',
    },
    stopped: { title: 'The reports are stopped', text: 'Reports about this website are no longer sent.' },
    notValid: { title: 'This link is not valid', text: 'Please use the complete link from the mail.' },
  },
  alerts: {
    asks: (domain: string, address: string) => ({
      title: `Get alerts about ${domain}?`,
      text: `Milepost will email ${address} when an alert of this website is triggered.`,
      button: 'Get alerts',
    }),
    confirmed: (domain: string, address: string) => ({
      title: 'The address is confirmed',
      text: `Alerts about ${domain} are sent to ${address}. Each has a link that stops them.`,
    }),
    asksToStop: (domain: string, address: string) => ({
      title: `Stop the alerts about ${domain}?`,
      text: `They will no longer be sent to ${address}.`,
      button: 'Stop the alerts',
    }),
    stopped: (domain: string, address: string) => ({
      title: 'The alerts are stopped',
      text: `Alerts about ${domain} are no longer sent to ${address}. Only you can switch them on again.`,
      button: 'Get alerts again',
    }),
    notValid: { title: 'This link is not valid', text: 'Please use the complete link from the mail.' },
  },
  reports: {
    asks: (domain: string, address: string) => ({
      title: `Get reports about ${domain}?`,
      text: `Milepost will email ${address} the statistics of this website every week or month.`,
      button: 'Get reports',
    }),
    confirmed: (domain: string, address: string) => ({
      title: 'The address is confirmed',
      text: `Reports about ${domain} are sent to ${address}. Each has a link that stops them.`,
    }),
    asksToStop: (domain: string, address: string) => ({
      title: `Stop the reports about ${domain}?`,
      text: `They will no longer be sent to ${address}.`,
      button: 'Stop the reports',
    }),
    stopped: (domain: string, address: string) => ({
      title: 'The reports are stopped',
      text: `Reports about ${domain} are no longer sent to ${address}. Only you can switch them on again.`,
      button: 'Get reports again',
    }),
    notValid: { title: 'This link is not valid', text: 'Please use the complete link from the mail.' },
  },
};

export type Words = typeof en;
