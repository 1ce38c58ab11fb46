import type { Alert, Recipient } from '../../../goals/definitions';

type Condition = Alert['condition'];

/** The texts of alerts, which are loaded with the section that shows them. */
export const en = {
  title: 'Alerts',
  none: 'An alert tells you by email or webhook when a number is unusual: twice as many visitors as usual, for example, or none at all.',
  text: 'Alerts tell you about unusual numbers. Hours and days follow the time zone of the service.',
  noMail: 'Email isn’t set up, so alerts only go to webhooks.',
  create: 'Create an alert',
  example: 'Create an example',
  edit: 'Edit alert',
  editOne: (name: string) => `Edit ${name}`,
  remove: (name: string) => `Delete ${name}`,
  save: 'Save alert',
  saved: 'Alert saved',
  deleted: 'Alert deleted',
  removal: {
    title: (name: string) => `Delete the alert ${name}?`,
    text: 'This deletes the alert and its history. Your statistics stay.',
    confirm: 'Delete the alert',
  },
  off: 'off',
  failed: (why: string) => `Could not be checked: ${why}`,
  never: 'Not triggered yet.',
  fired: (time: string) => `Last triggered on ${time}.`,
  firings: {
    title: 'History',
    none: 'None so far.',
    value: (value: string) => `counted ${value}`,
    usual: (usual: string) => `usually ${usual}`,
    limit: (threshold: string) => `limit ${threshold}`,
    sent: (mails: string, webhooks: string) => `emails: ${mails}, webhooks: ${webhooks}`,
  },
  metrics: {
    visitors: 'Visitors',
    visits: 'Visits',
    pageviews: 'Page views',
    events: 'Events',
    conversions: 'Conversions',
    converters: 'Visitors who convert',
  },
  within: { hour: 'an hour', day: 'a day' },
  sentences: {
    above: (metric: string, within: string, number: string) => `${metric} in ${within} rise above ${number}`,
    below: (metric: string, within: string, number: string) => `${metric} in ${within} fall below ${number}`,
    rises: (metric: string, within: string, percent: string) =>
      `${metric} in ${within} rise ${percent} above the usual`,
    falls: (metric: string, within: string, percent: string) =>
      `${metric} in ${within} fall ${percent} below the usual`,
    silent: () => 'No activity for 24 hours',
  } satisfies Record<Condition, (metric: string, within: string, number: string) => string>,
  /** The form of an alert: sentences with fields in them. */
  rules: {
    above: 'Tell me when {metric} in {within} {condition} {threshold}',
    below: 'Tell me when {metric} in {within} {condition} {threshold}',
    rises: 'Tell me when {metric} in an hour {condition} by {threshold} % or more',
    falls: 'Tell me when {metric} in an hour {condition} by {threshold} % or more',
    silent: 'Tell me when {condition}',
  } satisfies Record<Condition, string>,
  inSentence: (metric: string) => metric.toLowerCase(),
  usual: {
    hour: (days: string, median: string, most: string) =>
      `In the last ${days} days: ${median} in a typical hour, ${most} at most.`,
    day: (days: string, median: string, most: string) =>
      `In the last ${days} days: ${median} on a typical day, ${most} at most.`,
  },
  fields: {
    name: 'Name (optional)',
    nameHint: 'Leave empty to use the rule itself as the name.',
    condition: 'Condition',
    metric: 'Metric',
    within: 'Period',
    threshold: 'Threshold',
    percent: 'Percent',
    percentHint: 'The usual is the median of the same hour and weekday in the four weeks before.',
    filters: 'What counts',
    all: 'Everything',
    anyGoal: 'Any goal',
    quiet: 'Don’t alert again for (hours)',
    mail: 'Email me',
    webhook: 'Call my webhooks',
    enabled: 'Turned on',
    recipients: 'Further recipients',
    recipientsHint: 'One address per line, up to ten. Each recipient has to confirm by email first.',
  },
  conditions: {
    above: 'rise above',
    below: 'fall below',
    rises: 'rise above the usual',
    falls: 'fall below the usual',
    silent: 'there is no activity for 24 hours',
  } satisfies Record<Condition, string>,
  states: {
    pending: 'not confirmed yet',
    confirmed: 'confirmed',
    unsubscribed: 'unsubscribed',
  } satisfies Record<Recipient['state'], string>,
};
