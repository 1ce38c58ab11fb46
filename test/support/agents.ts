const KHTML = '(KHTML, like Gecko)';

export const CHROME = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${KHTML} Chrome/124.0.0.0 Safari/537.36`;
export const IPHONE = `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 ${KHTML} Version/17.4.1 Mobile/15E148 Safari/604.1`;
export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0';
export const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
