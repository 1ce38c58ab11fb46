import type { Words } from './en';

/** The texts in German. */
export const de: Words = {
  language: 'de',
  console: 'Milepost',
  home: 'Zur Startseite',
  statisticsOf: (domain) => `Statistik von ${domain}`,
  needsScript: 'Diese Statistik zeichnet ein Skript. Bitte erlauben Sie Skripte für diese Seite.',
  password: {
    title: 'Geschützte Statistik',
    text: (domain) => `Geben Sie das Passwort ein, um die Statistik von ${domain} zu sehen.`,
    label: 'Passwort',
    button: 'Statistik ansehen',
    empty: 'Geben Sie das Passwort ein.',
    wrong: 'Falsches Passwort. Versuchen Sie es noch einmal, oder fragen Sie den Inhaber der Website.',
    limited: (minutes) =>
      `Es wurden zu viele falsche Passwörter eingegeben. Versuchen Sie es in ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} noch einmal.`,
    busy: 'Gerade werden zu viele Passwörter geprüft. Versuchen Sie es in ein paar Sekunden noch einmal.',
  },
  problems: {
    400: {
      title: 'Diese Adresse kann nicht gelesen werden',
      text: 'Bitte prüfen Sie sie, oder gehen Sie dorthin zurück, wo Sie sie gefunden haben.',
    },
    404: {
      title: 'Seite nicht gefunden',
      text: 'Unter dieser Adresse gibt es nichts, oder es ist privat. Prüfen Sie die Adresse, oder fragen Sie die Person, die Ihnen den Link geschickt hat.',
    },
    429: { title: 'Zu viele Anfragen', text: 'Bitte warten Sie eine Minute, und laden Sie die Seite neu.' },
    503: {
      title: 'Gerade nicht verfügbar',
      text: 'Bitte warten Sie einen Moment, und laden Sie die Seite neu.',
    },
    other: {
      title: 'Das hat nicht geklappt',
      text: 'Bitte gehen Sie zurück, und versuchen Sie es noch einmal.',
    },
  },
  unsubscribe: {
    asks: {
      title: (domain) => `Die E-Mail-Berichte über ${domain} abbestellen?`,
      text: 'In den Einstellungen der Website können Sie sie wieder einschalten.',
      button: 'Berichte abbestellen',
    },
    stopped: {
      title: 'Die Berichte sind abbestellt',
      text: 'Berichte über diese Website werden nicht mehr gesendet.',
    },
    notValid: {
      title: 'Dieser Link ist nicht gültig',
      text: 'Bitte verwenden Sie den vollständigen Link aus der E-Mail.',
    },
  },
  alerts: {
    asks: (domain, address) => ({
      title: `Meldungen von ${domain} erhalten?`,
      text: `Milepost schreibt an ${address}, sobald eine Meldung dieser Website ausgelöst wird.`,
      button: 'Meldungen erhalten',
    }),
    confirmed: (domain, address) => ({
      title: 'Die Adresse ist bestätigt',
      text: `Meldungen von ${domain} gehen an ${address}. Jede hat einen Link, der sie abbestellt.`,
    }),
    asksToStop: (domain, address) => ({
      title: `Die Meldungen von ${domain} abbestellen?`,
      text: `An ${address} werden dann keine mehr gesendet.`,
      button: 'Meldungen abbestellen',
    }),
    stopped: (domain, address) => ({
      title: 'Die Meldungen sind abbestellt',
      text: `Meldungen von ${domain} werden nicht mehr an ${address} gesendet. Nur Sie können sie wieder einschalten.`,
      button: 'Wieder Meldungen erhalten',
    }),
    notValid: {
      title: 'Dieser Link ist nicht gültig',
      text: 'Bitte verwenden Sie den vollständigen Link aus der E-Mail.',
    },
  },
  reports: {
    asks: (domain, address) => ({
      title: `Berichte über ${domain} erhalten?`,
      text: `Milepost sendet die Statistik dieser Website jede Woche oder jeden Monat an ${address}.`,
      button: 'Berichte erhalten',
    }),
    confirmed: (domain, address) => ({
      title: 'Die Adresse ist bestätigt',
      text: `Berichte über ${domain} gehen an ${address}. Jeder hat einen Link, der sie abbestellt.`,
    }),
    asksToStop: (domain, address) => ({
      title: `Die Berichte über ${domain} abbestellen?`,
      text: `An ${address} werden dann keine mehr gesendet.`,
      button: 'Berichte abbestellen',
    }),
    stopped: (domain, address) => ({
      title: 'Die Berichte sind abbestellt',
      text: `Berichte über ${domain} werden nicht mehr an ${address} gesendet. Nur Sie können sie wieder einschalten.`,
      button: 'Wieder Berichte erhalten',
    }),
    notValid: {
      title: 'Dieser Link ist nicht gültig',
      text: 'Bitte verwenden Sie den vollständigen Link aus der E-Mail.',
    },
  },
};
