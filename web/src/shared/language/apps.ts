/** Android apps, by the hosts that referrers of `android-app:` have. */
const APPS: Record<string, string> = {
  'com.android.chrome': 'Chrome',
  'com.andrewshu.android.reddit': 'Reddit is fun',
  'com.devhd.feedly': 'Feedly',
  'com.discord': 'Discord',
  'com.duckduckgo.mobile.android': 'DuckDuckGo',
  'com.facebook.katana': 'Facebook',
  'com.facebook.lite': 'Facebook Lite',
  'com.facebook.orca': 'Messenger',
  'com.github.android': 'GitHub',
  'com.google.android.apps.magazines': 'Google News',
  'com.google.android.gm': 'Gmail',
  'com.google.android.googlequicksearchbox': 'Google',
  'com.google.android.youtube': 'YouTube',
  'com.instagram.android': 'Instagram',
  'com.linkedin.android': 'LinkedIn',
  'com.medium.reader': 'Medium',
  'com.microsoft.office.outlook': 'Outlook',
  'com.microsoft.teams': 'Microsoft Teams',
  'com.pinterest': 'Pinterest',
  'com.quora.android': 'Quora',
  'com.reddit.frontpage': 'Reddit',
  'com.slack': 'Slack',
  'com.snapchat.android': 'Snapchat',
  'com.tencent.mm': 'WeChat',
  'com.trello': 'Trello',
  'com.twitter.android': 'X',
  'com.whatsapp': 'WhatsApp',
  'com.yahoo.mobile.client.android.mail': 'Yahoo Mail',
  'com.zhiliaoapp.musically': 'TikTok',
  'flipboard.app': 'Flipboard',
  'org.mozilla.firefox': 'Firefox',
  'org.telegram.messenger': 'Telegram',
};

/** Names of apps are domains in reverse. */
const REVERSED = /^(?:com|org)\./;

export function appNamed(host: string): string | undefined {
  return Object.hasOwn(APPS, host) ? APPS[host] : undefined;
}

export function isApp(host: string): boolean {
  return REVERSED.test(host) || appNamed(host) !== undefined;
}
