/** A name, and a pattern for its agents that captures the major version. */
export type Named = readonly [name: string, pattern: RegExp];

/** Since iPadOS 13 an iPad identifies itself as a Mac; only browsers other than Safari reveal it. */
const IPAD_AS_MAC = /Macintosh.*\b(?:CriOS|FxiOS|EdgiOS|OPiOS|OPT|GSA|DuckDuckGo|Mobile)\//;

/** Browsers that the library does not know or mistakes for others. The first match wins. */
export const BROWSERS: readonly Named[] = [
  ['PlayStation', /PlayStation/i],
  ['Nintendo Browser', /Nintendo(?:.*NintendoBrowser\/(\d+))?/],
  ['Instagram', /\bInstagram (\d+)/],
  ['Facebook', /\bFB(?:AN|AV|_IAB)\b(?:.*FBAV\/(\d+))?/],
  ['TikTok', /\b(?:TikTok|musical_ly|trill|BytedanceWebview)(?:[ _/](\d+))?/i],
  ['LinkedIn', /\bLinkedInApp\b/],
  ['Snapchat', /\bSnapchat\/(\d+)/],
  ['Pinterest', /\[Pinterest\//],
  ['LINE', /\bLine\/(\d+)/],
  ['DuckDuckGo', /\b(?:DuckDuckGo|Ddg)\/(\d+)/],
  ['Google App', /\bGSA\/(\d+)/],
  ['UC Browser', /\bUC ?Browser\/(\d+)/i],
  ['Huawei Browser', /\bHuaweiBrowser\/(\d+)/],
  ['MIUI Browser', /\bMiuiBrowser\/(\d+)/i],
  ['Oculus Browser', /\bOculusBrowser\/(\d+)/],
  ['Brave', /\bBrave(?: Chrome)?\/(\d+)/],
];

export const SYSTEMS: readonly Named[] = [
  ['PlayStation', /PlayStation (?:\d|Vita|Portable)[ /](\d+)/i],
  ['PlayStation', /PlayStation/i],
  ['Xbox', /Xbox/],
  ['Nintendo', /Nintendo/],
  ['tvOS', /Apple ?TV(?:\d+,\d+\/(\d+))?/],
  ['watchOS', /Apple ?Watch|\bWatch\d+,\d|\bwatchOS(?:\/(\d+))?/],
  ['iOS', IPAD_AS_MAC],
  ['KaiOS', /\bKAIOS\/(\d+)/i],
  ['BSD', /(?:Free|Open|Net)BSD|DragonFly/],
];

export const DEVICES: readonly Named[] = [
  ['console', /PlayStation|Xbox|Nintendo/i],
  ['wearable', /\bwatch(?:os|\d|\b)|\bwear ?os\b|\bSM-(?:R[6-9]|L[3-7])\d\d|OculusBrowser/i],
  [
    'tv',
    /\bTV\b|SmartTV|AppleTV|tvOS|GoogleTV|MiTV|HbbTV|NetCast|Roku|BRAVIA|VIERA|CrKey|Chromecast|; AFT[A-Z\d]+/i,
  ],
  ['tablet', IPAD_AS_MAC],
  [
    'tablet',
    /iPad|Tablet(?! PC)|\bSilk\/|Kindle|PlayBook|TouchPad|\bSM-[TXP]\d{3}|\bNexus (?:7|9|10)\b|; KF[A-Z]{2}/,
  ],
  ['tablet', /Android(?!.*(?:Mobi|Mini))/],
  ['mobile', /Mobi|iPhone|iPod|Phone|BlackBerry|\bBB10|Opera Mini|KAIOS|Symbian|Nokia/],
  ['desktop', /Windows|Macintosh|X11|Linux|BSD|CrOS/],
];

/** Library names that are replaced here. */
export const RENAMED: Readonly<Record<string, string>> = {
  'Microsoft Edge': 'Edge',
  'Samsung Internet for Android': 'Samsung Internet',
  'NAVER Whale Browser': 'Whale',
  'Opera Touch': 'Opera',
  'Opera Coast': 'Opera',
  'QQ Browser Lite': 'QQ Browser',
  Focus: 'Firefox Focus',
  'WebOS Browser': 'webOS Browser',
  'Chrome OS': 'ChromeOS',
  WebOS: 'webOS',
};
