/**
 * The messages of the API that a form of the console can cause, with their German words. Parts in parentheses are
 * messages or words of this list too, or stay as they are.
 */
export const PROBLEMS: readonly (readonly [english: RegExp, german: string])[] = [
  [/^must not be empty$/, 'darf nicht leer sein'],
  [/^must be a text that is not empty$/, 'darf nicht leer sein'],
  [/^must be a text or null$/, 'darf nicht leer sein'],
  [/^must have 1 to (\d+) characters$/, 'muss 1 bis $1 Zeichen haben'],
  [/^must have 1 to (\d+) characters, in one line$/, 'muss 1 bis $1 Zeichen haben, in einer Zeile'],
  [
    /^must have 1 to (\d+) characters, and no control characters$/,
    'muss 1 bis $1 Zeichen haben, ohne Steuerzeichen',
  ],
  [/^has a control character$/, 'enthält ein Steuerzeichen'],
  [/^has more than (\d+) characters$/, 'hat mehr als $1 Zeichen'],

  [/^is already registered$/, 'ist schon registriert'],
  [/^is a subdomain of another user's website$/, 'ist eine Subdomain der Website eines anderen Benutzers'],
  [
    /^was deleted less than (\d+) days ago and is reserved for its former owner$/,
    'wurde vor weniger als $1 Tagen gelöscht und ist für den früheren Inhaber reserviert',
  ],
  [
    /^must not be a public suffix, under which anyone can register domains$/,
    'darf keine Endung sein, unter der alle Domains registrieren können',
  ],
  [
    /^is not a domain: enter something like example.com, (.+)$/,
    'ist keine Domain: Geben Sie etwas wie example.com ein, $1',
  ],
  [/^is not a domain: enter (.+)$/, 'ist keine Domain: Geben Sie $1 ein'],
  [/^with at most 253 characters$/, 'mit höchstens 253 Zeichen'],
  [/^without spaces, scheme, port or path$/, 'ohne Leerzeichen, Schema, Port und Pfad'],
  [/^not an IP address$/, 'keine IP-Adresse'],
  [/^with two or more labels, not an IP address$/, 'mit zwei oder mehr Teilen, keine IP-Adresse'],
  [
    /^with labels of letters, digits and inner hyphens, 63 characters each$/,
    'aus Buchstaben, Ziffern und inneren Bindestrichen, mit höchstens 63 Zeichen zwischen zwei Punkten',
  ],

  [/^line (\d+): ("(?:[^"\\]|\\.)*") (.+)$/, 'Zeile $1: $2 $3'],
  [/^must have at most (.+) lines$/, 'darf höchstens $1 Zeilen haben'],
  [/^is not an IP address or CIDR range$/, 'ist weder eine IP-Adresse noch ein CIDR-Bereich'],
  [
    /^is not a parameter name: it contains a blank, &, = or #$/,
    'ist kein Parametername: Er enthält ein Leerzeichen, &, = oder #',
  ],

  [/^is required while privacy is 2 \(Password\)$/, 'ist nötig, solange ein Passwort verlangt wird'],
  [/^must not be in the past$/, 'darf nicht in der Vergangenheit liegen'],
  [
    /^A user has at most (\d+) keys; delete one first\.$/,
    'Höchstens $1 Schlüssel sind möglich. Löschen Sie zuerst einen.',
  ],

  [/^is already the name of another .+ of the website$/, 'ist in der Website schon vergeben'],
  [
    /^A website has at most (.+) (goals|saved filters|funnels|annotations|alerts|exclusions); delete one first\.$/,
    'Eine Website hat höchstens $1 $2. Löschen Sie zuerst welche.',
  ],
  [/^goals$/, 'Ziele'],
  [/^saved filters$/, 'gespeicherte Filter'],
  [/^funnels$/, 'Trichter'],
  [/^annotations$/, 'Anmerkungen'],
  [/^alerts$/, 'Meldungen'],
  [/^exclusions$/, 'Ausschlüsse'],
  [
    /^is used by (the saved filter|the funnel|the alert) (".*"), so it can be neither changed nor deleted$/,
    'wird von $1 $2 benutzt und kann deshalb weder geändert noch gelöscht werden',
  ],
  [
    /^It is used by (the saved filter|the funnel|the alert) (".*"); change or delete that first\.$/,
    'Es wird von $1 $2 benutzt. Ändern oder löschen Sie das zuerst.',
  ],
  [/^would break (the saved filter|the funnel|the alert) (".*"): it (.+)$/, 'passt nicht mehr zu $1 $2: $3'],
  [/^the alert$/, 'der Meldung'],
  [/^the saved filter$/, 'dem gespeicherten Filter'],
  [/^the funnel$/, 'dem Trichter'],

  [
    /^must be a number, or a text like "-19.90", .+$/,
    'muss eine Zahl sein, mit höchstens 15 Ziffern, davon bis zu 4 nach dem Komma',
  ],
  [/^must be an ISO 4217 code like EUR$/, 'muss ein Code nach ISO 4217 wie EUR sein'],
  [/^needs a currency with it, such as EUR$/, 'braucht eine Währung, etwa EUR'],
  [/^needs a value with it$/, 'braucht einen Wert'],

  [/^must have at most (.+) bytes as JSON$/, 'darf als JSON höchstens $1 Byte haben'],
  [
    /^make all (goals|saved filters|funnels) of the website longer than (.+) bytes as JSON$/,
    'machen $1 der Website als JSON zusammen länger als $2 Byte',
  ],
  [
    /^give all exclusions of the website together more than (.+) (conditions|values|bytes as JSON)$/,
    'würden allen Ausschlüssen der Website zusammen mehr als $1 $2 geben',
  ],
  [/^conditions$/, 'Bedingungen'],
  [/^values$/, 'Werte'],
  [/^bytes as JSON$/, 'Byte als JSON'],
  [/^must not be before "from"$/, 'darf nicht vor dem ersten Tag liegen'],
  [
    /^must not change days before (.+), whose hits are no longer kept$/,
    'darf keine Tage vor dem $1 ändern, weil deren Besuche nicht mehr gespeichert sind',
  ],
  [
    /^must be the domain of the website, to confirm the purge$/,
    'muss die Domain der Website sein, als Bestätigung',
  ],
  [
    /^does not change while hits are purged; delete the exclusion to stop$/,
    'ändert sich nicht, während Besuche endgültig entfernt werden; löschen Sie den Ausschluss, um das zu beenden',
  ],
  [
    /^needs hits, and those of a final exclusion are gone$/,
    'braucht gespeicherte Besuche, und die eines endgültigen Ausschlusses sind weg',
  ],
  [
    /^needs a last day: give the exclusion one as "to"$/,
    'braucht einen letzten Tag: Geben Sie dem Ausschluss einen',
  ],
  [/^must be a list of (\d) to (\d) steps$/, 'müssen $1 bis $2 sein'],
  [
    /^must have at most (\d+) conditions with (.+) values in all filters together$/,
    'dürfen zusammen höchstens $1 Bedingungen mit $2 Werten haben',
  ],
  [
    /^must have at most (\d+) conditions(?:, with what its goals and saved filters stand for)?$/,
    'höchstens $1 Bedingungen sind möglich, auch mit denen der Ziele und gespeicherten Filter darin',
  ],
  [/^can never be true beside the other conditions$/, 'kann neben den anderen Bedingungen nie zutreffen'],
  [
    /^can never be true, with what goals and saved filters stand for$/,
    'kann mit dem, wofür Ziele und gespeicherte Filter stehen, nie zutreffen',
  ],
  [/^has no goal (".*")$/, 'kennt kein Ziel $1'],
  [/^has no saved filter (".*")$/, 'kennt keinen gespeicherten Filter $1'],
  [/^contains itself: (.+)$/, 'enthält sich selbst: $1'],
  [
    /^is more than (\d+) saved filters deep: (.+)$/,
    'enthält gespeicherte Filter, die mehr als $1 Stufen tief ineinander stehen: $2',
  ],

  [/^must be a number that is not negative$/, 'muss eine Zahl sein, die nicht negativ ist'],
  [/^must be from (.+) to (.+) with the condition (?:rises|falls)$/, 'muss zwischen $1 und $2 liegen'],
  [/^must be an integer from (\d+) to (\d+)$/, 'muss eine ganze Zahl von $1 bis $2 sein'],
  [
    /^must be an address that mail can be delivered to$/,
    'muss eine Adresse sein, an die sich Mails zustellen lassen',
  ],
  [
    /^must be an email address with at most (\d+) characters$/,
    'muss eine E-Mail-Adresse mit höchstens $1 Zeichen sein',
  ],
  [/^is taken$/, 'ist schon vergeben'],
  [/^must be a list of at most (\d+) addresses$/, 'darf höchstens $1 Adressen enthalten'],
  [/^must not contain duplicates$/, 'darf nichts doppelt enthalten'],
  [
    /^would have more than (\d+) addresses asked for confirmation in a day; add them later$/,
    'würden mehr als $1 Adressen an einem Tag um Bestätigung bitten; fügen Sie diese später hinzu',
  ],
  [
    /^would have (.+) asked for confirmation more than (\d+) times in a day; add it later$/,
    'würden $1 an einem Tag mehr als $2-mal um Bestätigung bitten; fügen Sie diese Adresse später hinzu',
  ],
  [
    /^The report of a website can be sent three times a day\. Send it tomorrow\.$/,
    'Der Bericht einer Website kann dreimal am Tag gesendet werden. Senden Sie ihn morgen.',
  ],
  [
    /^A user can send (\d+) mails of reports a day\. Send it tomorrow\.$/,
    'Ein Benutzer kann am Tag $1 E-Mails mit Berichten senden. Senden Sie ihn morgen.',
  ],
  [
    /^Demo data can be loaded three times a day\. Load it tomorrow\.$/,
    'Demodaten können dreimal am Tag geladen werden. Laden Sie sie morgen.',
  ],
  [
    /^Demo data is only for users without websites\.$/,
    'Demodaten gibt es nur für Benutzer, die noch keine Website haben.',
  ],
  [
    /^No mail can be delivered to (.+), and no other address has confirmed\.$/,
    'An $1 kann keine E-Mail zugestellt werden, und keine andere Adresse hat bestätigt.',
  ],

  [
    /^must be an address like https:\/\/example.com\/hooks, with at most (.+) characters, no user and no fragment$/,
    'muss eine Adresse wie https://example.com/hooks sein, mit höchstens $1 Zeichen, ohne Benutzer und ohne #',
  ],
  [
    /^must be on the internet, or be allowed by the setting WEBHOOK_ALLOW$/,
    'muss im Internet liegen oder durch die Einstellung WEBHOOK_ALLOW erlaubt sein',
  ],
  [
    /^A user has at most (\d+) webhooks; delete one first\.$/,
    'Höchstens $1 Webhooks sind möglich. Löschen Sie zuerst einen.',
  ],
  [
    /^The webhook is disabled; enable it first\.$/,
    'Der Webhook ist ausgeschaltet. Schalten Sie ihn zuerst ein.',
  ],
  [
    /^The webhook has (\d+) MiB of waiting deliveries already\.$/,
    'Für den Webhook warten schon Zustellungen von $1 MiB.',
  ],
  [/^The webhook has (.+) waiting deliveries already\.$/, 'Für den Webhook warten schon $1 Zustellungen.'],
  [
    /^The delivery is under way; it can be sent again once it ended\.$/,
    'Die Zustellung läuft noch. Danach lässt sie sich noch einmal senden.',
  ],
  [
    /^The text of the delivery was not kept, because too many deliveries waited already\.$/,
    'Der Text der Zustellung ist nicht mehr da, weil schon zu viele Zustellungen warteten.',
  ],
  [
    /^The website of the delivery was deleted\.$/,
    'Die Website, um die es in der Zustellung geht, wurde gelöscht.',
  ],

  [/^Sign in first\.$/, 'Sie sind abgemeldet. Laden Sie die Seite neu.'],
  [/^(.+) not found\.$/, 'Das gibt es nicht mehr. Laden Sie die Seite neu.'],
  [
    /^The budget "(?:(?:test|repeated)-deliveries|new-keys|new-webhooks|webhook-changes)" of this caller is used up\.$/,
    'Das waren zu viele in einer Stunde. Versuchen Sie es später noch einmal.',
  ],
  [/^The budget ".+" of this caller is used up\.$/, 'Das waren zu viele Anfragen. Warten Sie eine Minute.'],
  [
    /^(?:This caller|The service) has too many such requests in progress\.$/,
    'Der Server ist ausgelastet. Versuchen Sie es gleich noch einmal.',
  ],
  [
    /^The request took too long\. It may still complete; try again\.$/,
    'Die Anfrage hat zu lange gedauert. Sehen Sie nach, ob sie noch ausgeführt wurde.',
  ],
  [
    /^This saved filter limits the shared page, .+$/,
    'Dieser gespeicherte Filter begrenzt die öffentliche Seite. Wählen Sie für sie zuerst einen anderen oder keinen.',
  ],
  [
    /^The database cannot be reached at the moment\.$/,
    'Die Datenbank ist gerade nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  ],
  [
    /^The warehouse with the hits of old days does not answer\.$/,
    'Das Archiv mit den Rohdaten alter Tage ist gerade nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  ],
  [
    /^The warehouse does not have all hits of (.+)\.$/,
    'Dem Archiv fehlen gerade Rohdaten vom $1. Versuchen Sie es gleich noch einmal.',
  ],

  [/^(\d+),(\d{3})$/, '$1.$2'],
];

/** A message of the API in German, as far as it is known. */
export function inGerman(message: string): string {
  for (const [english, german] of PROBLEMS) {
    const parts = english.exec(message);
    if (parts) return german.replaceAll(/\$(\d)/g, (_, part: string) => inGerman(parts[Number(part)]!));
  }
  return message;
}
