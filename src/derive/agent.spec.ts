import { deriveAgent } from './agent';

const KHTML = '(KHTML, like Gecko)';
const BLINK = `AppleWebKit/537.36 ${KHTML}`;
const WEBKIT = `AppleWebKit/605.1.15 ${KHTML}`;
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64)';
const PHONE = 'Mozilla/5.0 (Linux; Android 10; K)';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X)';
const IPAD = 'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X)';

const told = (userAgent: string): string => {
  const { browser, browserVersion, operatingSystem, operatingSystemVersion, device } = deriveAgent(userAgent);
  const named = (name: string, version: string | null) => (version === null ? name : `${name} ${version}`);
  return [named(browser, browserVersion), named(operatingSystem, operatingSystemVersion), device].join(', ');
};

const expectAgents = (title: string, agents: [userAgent: string, expected: string][]) =>
  it.each(agents)(`${title}: %s`, (userAgent, expected) => {
    expect(told(userAgent)).toBe(expected);
    expect(deriveAgent(userAgent).isBot).toBe(false);
  });

expectAgents('desktop', [
  [`${WINDOWS} ${BLINK} Chrome/124.0.0.0 Safari/537.36`, 'Chrome 124, Windows 10, desktop'],
  [`${MAC} ${BLINK} Chrome/124.0.0.0 Safari/537.36`, 'Chrome 124, macOS 10, desktop'],
  [`${LINUX} ${BLINK} Chrome/124.0.0.0 Safari/537.36`, 'Chrome 124, Linux, desktop'],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${BLINK} Chrome/124.0.0.0 Safari/537.36`,
    'Chrome 124, ChromeOS, desktop',
  ],
  [`Mozilla/5.0 (X11; FreeBSD amd64) ${BLINK} Chrome/124.0.0.0 Safari/537.36`, 'Chrome 124, BSD, desktop'],
  [`${MAC} ${WEBKIT} Version/17.4.1 Safari/605.1.15`, 'Safari 17, macOS 10, desktop'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0',
    'Firefox 125, Windows 10, desktop',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:125.0) Gecko/20100101 Firefox/125.0',
    'Firefox 125, macOS 10, desktop',
  ],
  [
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0',
    'Firefox 125, Linux, desktop',
  ],
  [`${WINDOWS} ${BLINK} Chrome/124.0.0.0 Safari/537.36 Edg/124.0.2478.51`, 'Edge 124, Windows 10, desktop'],
  [`${WINDOWS} ${BLINK} Chrome/64.0.3282.140 Safari/537.36 Edge/18.17763`, 'Edge 18, Windows 10, desktop'],
  [`${MAC} ${BLINK} Chrome/124.0.0.0 Safari/537.36 OPR/109.0.0.0`, 'Opera 109, macOS 10, desktop'],
  ['Opera/9.80 (Windows NT 6.1; U; en) Presto/2.12.388 Version/12.18', 'Opera 12, Windows 7, desktop'],
  [
    'Mozilla/5.0 (Windows NT 6.3; WOW64; Trident/7.0; rv:11.0) like Gecko',
    'Internet Explorer 11, Windows 8, desktop',
  ],
  [
    'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 5.1; Trident/4.0; Tablet PC 2.0)',
    'Internet Explorer 8, Windows, desktop',
  ],
  [`${LINUX} ${BLINK} Chrome/124.0.6367.60 Safari/537.36 Vivaldi/6.7.3329.9`, 'Vivaldi 6, Linux, desktop'],
  [
    `${WINDOWS} ${BLINK} Chrome/122.0.0.0 YaBrowser/24.4.0.0 Safari/537.36`,
    'Yandex Browser 24, Windows 10, desktop',
  ],
  [`${MAC} ${BLINK} Brave Chrome/83.0.4103.116 Safari/537.36`, 'Brave 83, macOS 10, desktop'],
  [`${MAC} ${WEBKIT} Version/17.4 Safari/605.1.15 Ddg/17.4`, 'DuckDuckGo 17, macOS 10, desktop'],
  [
    `${WINDOWS} ${BLINK} Slack/4.37.101 Chrome/122.0.6261.156 Electron/29.3.1 Safari/537.36`,
    'Electron 29, Windows 10, desktop',
  ],
  [`${WINDOWS} ${BLINK} Whale/3.25.232.19 Chrome/124.0.0.0 Safari/537.36`, 'Whale 3, Windows 10, desktop'],
  [
    `${LINUX} ${BLINK} Ubuntu Chromium/80.0.3987.87 Chrome/80.0.3987.87 Safari/537.36`,
    'Chromium 80, Linux, desktop',
  ],
]);

expectAgents('phone', [
  [`${PHONE} ${BLINK} Chrome/124.0.0.0 Mobile Safari/537.36`, 'Chrome 124, Android 10, mobile'],
  [
    `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${BLINK} Chrome/124.0.6367.82 Mobile Safari/537.36`,
    'Chrome 124, Android 14, mobile',
  ],
  [`${IPHONE} ${WEBKIT} CriOS/124.0.6367.71 Mobile/15E148 Safari/604.1`, 'Chrome 124, iOS 17, mobile'],
  [`${IPHONE} ${WEBKIT} Version/17.4.1 Mobile/15E148 Safari/604.1`, 'Safari 17, iOS 17, mobile'],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${WEBKIT} Version/26.0 Mobile/15E148 Safari/604.1`,
    'Safari 26, iOS 26, mobile',
  ],
  ['Mozilla/5.0 (Android 14; Mobile; rv:125.0) Gecko/125.0 Firefox/125.0', 'Firefox 125, Android 14, mobile'],
  [`${IPHONE} ${WEBKIT} FxiOS/125.0 Mobile/15E148 Safari/605.1.15`, 'Firefox 125, iOS 17, mobile'],
  [
    `${PHONE} ${BLINK} Chrome/124.0.0.0 Mobile Safari/537.36 EdgA/124.0.2478.50`,
    'Edge 124, Android 10, mobile',
  ],
  [
    `${IPHONE} ${WEBKIT} Version/17.0 EdgiOS/124.0.2478.50 Mobile/15E148 Safari/604.1`,
    'Edge 124, iOS 17, mobile',
  ],
  [`${PHONE} ${BLINK} Chrome/122.0.0.0 Mobile Safari/537.36 OPR/81.0.0.0`, 'Opera 81, Android 10, mobile'],
  [`${IPHONE} ${WEBKIT} Version/17.4 Mobile/15E148 Safari/604.1 OPT/4.6.0`, 'Opera 4, iOS 17, mobile'],
  [
    'Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; id) Presto/2.12.423 Version/12.16',
    'Opera 12, Android, mobile',
  ],
  [
    `${PHONE} ${BLINK} SamsungBrowser/24.0 Chrome/117.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet 24, Android 10, mobile',
  ],
  [
    `Mozilla/5.0 (Linux; U; Android 12; en-US; M2102J20SG) ${BLINK} Version/4.0 Chrome/100.0.4896.58 UCBrowser/13.8.2.1324 Mobile Safari/537.36`,
    'UC Browser 13, Android 12, mobile',
  ],
  [
    `${PHONE} ${BLINK} Version/4.0 Chrome/124.0.0.0 Mobile DuckDuckGo/5 Safari/537.36`,
    'DuckDuckGo 5, Android 10, mobile',
  ],
  [
    `Mozilla/5.0 (Linux; Android 12; HUAWEI ANA-NX9) ${BLINK} Chrome/114.0.5735.196 HuaweiBrowser/15.0.4.312 Mobile Safari/537.36`,
    'Huawei Browser 15, Android 12, mobile',
  ],
  [
    `Mozilla/5.0 (Linux; U; Android 13; zh-cn; 2201122C) ${BLINK} Version/4.0 Chrome/100.0.4896.127 Mobile Safari/537.36 XiaoMi/MiuiBrowser/17.8.50`,
    'MIUI Browser 17, Android 13, mobile',
  ],
  [
    'Mozilla/5.0 (Windows Phone 10.0; Android 4.2.1; Microsoft; RM-1127_16056) AppleWebKit/537.36(KHTML, like Gecko) Chrome/42.0.2311.135 Mobile Safari/537.36 Edge/12.10536',
    'Edge 12, Windows Phone 10, mobile',
  ],
  [
    'Mozilla/5.0 (Mobile; Nokia 8110 4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
    'Firefox 48, KaiOS 2, mobile',
  ],
  [
    `Mozilla/5.0 (BB10; Touch) AppleWebKit/537.10+ ${KHTML} Version/10.0.9.2372 Mobile Safari/537.10+`,
    'BlackBerry 10, BlackBerry 10, mobile',
  ],
]);

expectAgents('in an app', [
  [`${IPHONE} ${WEBKIT} Mobile/15E148`, 'Safari, iOS 17, mobile'],
  [
    `${IPHONE} ${WEBKIT} Mobile/21E236 [FBAN/FBIOS;FBAV/461.0.0.31.103;FBBV/592158532;FBDV/iPhone15,2]`,
    'Facebook 461, iOS 17, mobile',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S911B Build/UP1A.231005.007; wv) ${BLINK} Version/4.0 Chrome/123.0.6312.118 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/460.0.0.48.109;]`,
    'Facebook 460, Android 14, mobile',
  ],
  [
    `${IPHONE} ${WEBKIT} Mobile/21E236 Instagram 329.0.3.29.112 (iPhone15,2; iOS 17_4_1; de_DE; de; scale=3.00; 1179x2556; 591315667)`,
    'Instagram 329, iOS 17, mobile',
  ],
  [
    `${IPHONE} ${WEBKIT} Mobile/15E148 musical_ly_34.2.0 JsSdk/2.0 NetType/WIFI Channel/App Store`,
    'TikTok 34, iOS 17, mobile',
  ],
  [`${IPHONE} ${WEBKIT} Mobile/15E148 [LinkedInApp]/9.29.5943`, 'LinkedIn, iOS 17, mobile'],
  [`${IPHONE} ${WEBKIT} Mobile/15E148 Safari Line/14.5.0`, 'LINE 14, iOS 17, mobile'],
  [
    `${IPHONE} ${WEBKIT} Mobile/15E148 MicroMessenger/8.0.48(0x1800302b) NetType/WIFI Language/zh_CN`,
    'WeChat 8, iOS 17, mobile',
  ],
  [`${IPHONE} ${WEBKIT} GSA/313.0.625200524 Mobile/15E148 Safari/604.1`, 'Google App 313, iOS 17, mobile'],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-A536B; wv) ${BLINK} Version/4.0 Chrome/124.0.0.0 Mobile Safari/537.36`,
    'Chrome 124, Android 13, mobile',
  ],
]);

expectAgents('tablet', [
  [`${IPAD} ${WEBKIT} Version/16.6 Mobile/15E148 Safari/604.1`, 'Safari 16, iOS 16, tablet'],
  [`${IPAD} ${WEBKIT} CriOS/124.0.6367.71 Mobile/15E148 Safari/604.1`, 'Chrome 124, iOS 16, tablet'],
  [`${MAC} ${WEBKIT} CriOS/124 Version/11.1.1 Safari/605.1.15`, 'Chrome 124, iOS, tablet'],
  [`${MAC} ${WEBKIT} FxiOS/125.0 Safari/605.1.15`, 'Firefox 125, iOS, tablet'],
  [`${MAC} ${WEBKIT} Version/17.4 EdgiOS/124.0.2478.50 Safari/605.1.15`, 'Edge 124, iOS, tablet'],
  [`${MAC} ${WEBKIT} Mobile/15E148`, 'Safari, iOS, tablet'],
  [`${PHONE} ${BLINK} Chrome/124.0.0.0 Safari/537.36`, 'Chrome 124, Android 10, tablet'],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-X700) ${BLINK} SamsungBrowser/22.0 Chrome/111.0.5563.116 Safari/537.36`,
    'Samsung Internet 22, Android 13, tablet',
  ],
  [
    `Mozilla/5.0 (Linux; Android 9; SM-T515) ${BLINK} Chrome/122.0.0.0 Mobile Safari/537.36`,
    'Chrome 122, Android 9, tablet',
  ],
  ['Mozilla/5.0 (Android 13; Tablet; rv:125.0) Gecko/125.0 Firefox/125.0', 'Firefox 125, Android 13, tablet'],
  [
    `Mozilla/5.0 (Linux; Android 11; KFTRWI) ${BLINK} Silk/122.4.1 like Chrome/122.0.6261.149 Safari/537.36`,
    'Amazon Silk 122, Android 11, tablet',
  ],
  [
    `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 7 Build/MOB30X) ${BLINK} Chrome/80.0.3987.99 Safari/537.36`,
    'Chrome 80, Android 6, tablet',
  ],
]);

expectAgents('television', [
  [
    `Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) ${BLINK} 76.0.3809.146/6.0 TV Safari/537.36`,
    'Tizen, Tizen 6, tv',
  ],
  [
    `Mozilla/5.0 (SMART-TV; Linux; Tizen 2.4.0) AppleWebKit/538.1 ${KHTML} SamsungBrowser/1.1 TV Safari/538.1`,
    'Samsung Internet 1, Tizen 2, tv',
  ],
  [
    `Mozilla/5.0 (Web0S; Linux/SmartTV) ${BLINK} Chrome/94.0.4606.128 Safari/537.36 WebAppManager`,
    'webOS Browser, webOS, tv',
  ],
  [
    `Mozilla/5.0 (Linux; Android 9; BRAVIA 4K UR2 Build/PTT1.190515.001.S104) ${BLINK} Chrome/98.0.4758.102 Safari/537.36`,
    'Chrome 98, Android 9, tv',
  ],
  [
    `Mozilla/5.0 (Linux; Android 11; SHIELD Android TV) ${BLINK} Chrome/106.0.0.0 Safari/537.36`,
    'Chrome 106, Android 11, tv',
  ],
  [
    `Mozilla/5.0 (Linux; Android 7.1.2; AFTMM Build/NS6265) ${BLINK} Silk/98.5.6 like Chrome/98.0.4758.136 Safari/537.36`,
    'Amazon Silk 98, Android 7, tv',
  ],
  [
    `Mozilla/5.0 (X11; Linux armv7l) ${BLINK} Chrome/90.0.4430.225 Safari/537.36 CrKey/1.56.500000`,
    'Chrome 90, Linux, tv',
  ],
  [`Mozilla/5.0 (Apple TV; CPU OS 15_0 like Mac OS X) ${WEBKIT}`, 'Safari, tvOS, tv'],
]);

expectAgents('console', [
  [
    `Mozilla/5.0 (PlayStation; PlayStation 5/8.20) ${WEBKIT} Version/17.0 Safari/605.1.15`,
    'PlayStation, PlayStation 8, console',
  ],
  [`Mozilla/5.0 (PlayStation 4 3.11) AppleWebKit/537.73 ${KHTML}`, 'PlayStation, PlayStation 3, console'],
  [
    `Mozilla/5.0 (PlayStation Vita 3.61) AppleWebKit/537.73 ${KHTML} Silk/3.2`,
    'PlayStation, PlayStation 3, console',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) ${BLINK} Chrome/124.0.0.0 Safari/537.36 Edg/124.0.0.0`,
    'Edge 124, Xbox, console',
  ],
  [
    `Mozilla/5.0 (Nintendo Switch; WebApplet) AppleWebKit/609.4 ${KHTML} NF/6.0.2.22.4 NintendoBrowser/5.1.0.23519`,
    'Nintendo Browser 5, Nintendo, console',
  ],
]);

expectAgents('wearable', [
  [
    `Mozilla/5.0 (Apple Watch; CPU Watch OS 10_4 like Mac OS X) ${WEBKIT} Version/17.4 Mobile/15E148 Safari/604.1`,
    'Safari 17, watchOS, wearable',
  ],
  [
    `Mozilla/5.0 (Linux; Tizen 4.0; SAMSUNG SM-R800) ${BLINK} SamsungBrowser/2.0 Chrome/63.0.3239.84 Mobile Safari/537.36`,
    'Samsung Internet 2, Tizen 4, wearable',
  ],
  [
    `Mozilla/5.0 (Linux; Android 11; SM-R890) ${BLINK} SamsungBrowser/18.0 Chrome/99.0.4844.88 Mobile Safari/537.36`,
    'Samsung Internet 18, Android 11, wearable',
  ],
  [
    `Mozilla/5.0 (Linux; Android 12; Quest 3) ${BLINK} OculusBrowser/33.0 Chrome/126.0.0.0 VR Safari/537.36`,
    'Oculus Browser 33, Android 12, wearable',
  ],
]);

const NOTHING = {
  browser: '(unknown)',
  browserVersion: null,
  operatingSystem: '(unknown)',
  operatingSystemVersion: null,
  device: '(unknown)',
};

it.each(['', ' ', '-', 'nonsense', 'SomeApp/1.0 (thing) x/y', '\ud800', '\u0000', '__proto__/1.0 (a)'])(
  'recognises nothing in %p',
  (userAgent) => {
    expect(deriveAgent(userAgent)).toMatchObject(NOTHING);
  },
);

it('believes no version that is none', () => {
  const { browserVersion } = deriveAgent(`${WINDOWS} ${BLINK} Chrome/99999999999999999999.0 Safari/537.36`);
  expect(browserVersion).toBeNull();
});

it.each([
  '',
  '  ',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${BLINK} Chrome/124.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
  `Mozilla/5.0 ${BLINK}; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36`,
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  `${MAC} ${WEBKIT} Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)`,
  `Mozilla/5.0 ${BLINK}; compatible; GPTBot/1.2; +https://openai.com/gptbot)`,
  `Mozilla/5.0 ${BLINK}; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)`,
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'curl/8.5.0',
  'Wget/1.21.4',
  'python-requests/2.31.0',
  'Go-http-client/2.0',
  'okhttp/4.12.0',
  'axios/1.6.8',
  'node',
  `${LINUX} ${BLINK} HeadlessChrome/124.0.0.0 Safari/537.36`,
  `Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 ${KHTML} PhantomJS/2.1.1 Safari/538.1`,
  `${LINUX} ${BLINK} Chrome/124.0.0.0 Safari/537.36 Puppeteer/22.0`,
  `${LINUX} ${BLINK} Chrome/124.0.0.0 Safari/537.36 Playwright/1.43`,
  `${MAC} ${BLINK} Cypress/13.7.3 Chrome/118.0.5993.159 Electron/27.1.3 Safari/537.36`,
  `${MAC} ${BLINK} Chrome/124.0.0.0 Safari/537.36 Chrome-Lighthouse`,
  'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/24.0.0',
  'Mozilla/5.0 (X11; Linux x86_64; rv:59.0) Gecko/20100101 Firefox/59.0 SlimerJS/1.0.0',
])('takes %p for a bot', (userAgent) => {
  expect(deriveAgent(userAgent).isBot).toBe(true);
});

it('reads no more of an agent than a browser sends', () => {
  const chrome = `${WINDOWS} ${BLINK} Chrome/124.0.0.0 Safari/537.36`;
  expect(deriveAgent(`${chrome} ${'x'.repeat(2000)} Edg/124.0`)).toMatchObject({ browser: 'Chrome' });
  expect(deriveAgent(`${chrome} ${'x'.repeat(2000)} Googlebot`).isBot).toBe(false);
});

it.each(['Macintosh', 'Android', 'Opera/', '/ (', '- ', ' ', '1.', 'FBAN ', 'Linespider-', 'MSIE 1'])(
  'is not stopped by %p over and over',
  (piece) => {
    expect(Object.keys(deriveAgent(piece.repeat(100_000)))).toEqual([...Object.keys(NOTHING), 'isBot']);
  },
);
