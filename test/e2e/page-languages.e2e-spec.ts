import { RecipientLinks } from '../../src/recipients/recipient-links';
import { UnsubscribeLinks } from '../../src/reports/unsubscribe-links';
import { website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

let service: TestApp;
let protectedPage: string;
let unsubscribe: string;
type Pages = Record<'confirm' | 'unsubscribe', string>;
let alerts: Pages;
let reports: Pages;
beforeAll(async () => {
  service = await startApp();
  const { domain } = await website(service.api, { privacy: 2, password: 'secret' });
  protectedPage = `/share/${domain}`;
  const { id } = await website(service.api, { email: 1 });
  unsubscribe = new URL(service.app.get(UnsubscribeLinks, { strict: false }).of(id)).pathname;
  const links = service.app.get(RecipientLinks, { strict: false });
  const pagesOf = (topic: 'alerts' | 'reports') => {
    const subscription = { topic, websiteId: id, address: 'team@example.com' };
    return {
      confirm: new URL(links.toConfirm(subscription)).pathname,
      unsubscribe: new URL(links.toUnsubscribe(subscription)).pathname,
    };
  };
  [alerts, reports] = [pagesOf('alerts'), pagesOf('reports')];
});
afterAll(() => service.stop());

const GERMAN = { 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.5' };
const nobody = () => service.api.as(undefined);
const asked = (headers: Record<string, string>) => ({ headers: { Accept: 'text/html', ...headers } });
const languageOf = (text: string) => /^<!DOCTYPE html><html lang="(\w+)">/.exec(text)?.[1];
const get = async (path: string, headers: Record<string, string>) => {
  const { text } = await nobody().get(path, asked(headers));
  return { language: languageOf(text), title: /<title>([^<]*)/.exec(text)?.[1], text };
};

it.each([
  ['the form of the password', () => protectedPage, 'Geben Sie das Passwort ein'],
  ['no such page', () => '/nothing/here', 'Seite nicht gefunden'],
  ['no such shared page', () => '/share/nothing.example', 'Seite nicht gefunden'],
  ['the end of reports', () => unsubscribe, 'Berichte abbestellen'],
  ['the confirmation of alerts', () => alerts.confirm, 'Meldungen erhalten'],
  ['the end of alerts', () => alerts.unsubscribe, 'Meldungen abbestellen'],
  ['the confirmation of reports', () => reports.confirm, 'Berichte erhalten'],
  ['the end of reports to an address', () => reports.unsubscribe, 'Berichte abbestellen'],
  ['a wrong link', () => '/unsubscribe/1.x', 'Dieser Link ist nicht gültig'],
])('is German for a browser that asks for it: %s', async (_, path, german) => {
  const page = await get(path(), GERMAN);
  expect([page.language, page.text.includes(german)]).toEqual(['de', true]);
  const other = await get(path(), {});
  expect([other.language, other.text.includes(german)]).toEqual(['en', false]);
});

it.each<[Record<string, string>, string]>([
  [{}, 'en'],
  [{ 'Accept-Language': 'fr' }, 'en'],
  [{ 'Accept-Language': 'fr, de;q=0.1' }, 'de'],
  [{ 'Accept-Language': 'en-GB,en;q=0.9,de;q=0.8' }, 'en'],
  [{ 'Accept-Language': '*' }, 'en'],
  [{ 'Accept-Language': ';q=,,=' }, 'en'],
  [{ 'Accept-Language': 'de,'.repeat(2000) }, 'en'],
  [{ Cookie: 'milepost_language=de' }, 'de'],
  [{ ...GERMAN, Cookie: 'a=b; milepost_language=en' }, 'en'],
  [{ ...GERMAN, Cookie: 'milepost_language=constructor' }, 'de'],
  [{ Cookie: 'milepost_language="><script>' }, 'en'],
])('is that of the setting, else the first that is asked for: %j', async (headers, language) => {
  expect((await get(protectedPage, headers)).language).toBe(language);
});

it('is that of titles of scripted pages, and of complaints', async () => {
  expect(await get('/', GERMAN)).toMatchObject({ language: 'de', title: 'Milepost' });
  const { domain } = await website(service.api, { privacy: 0 });
  expect((await get(`/share/${domain}`, GERMAN)).title).toBe(`Statistik von ${domain}`);
  const wrong = await nobody().post(protectedPage, { form: { password: 'wrong' }, ...asked(GERMAN) });
  expect([wrong.status, wrong.text.includes('Falsches Passwort')]).toEqual([403, true]);
  const empty = await nobody().post(protectedPage, { form: {}, ...asked(GERMAN) });
  expect([empty.status, empty.text.includes('Geben Sie das Passwort ein.')]).toEqual([422, true]);
});

it('is that of an answer to one click', async () => {
  const { text } = await nobody().post(unsubscribe, asked(GERMAN));
  expect([languageOf(text), text.includes('Die Berichte sind abbestellt')]).toEqual(['de', true]);
});

it('is that of the owner for a link of an alert, where the browser asks for neither', async () => {
  await service.api.patch('/api/v1/me', { json: { language: 'de' } });
  for (const path of [alerts.confirm, alerts.unsubscribe]) {
    const languages = [];
    for (const accepted of [undefined, 'fr', '*', 'en', 'de,'.repeat(2000)])
      languages.push((await get(path, accepted ? { 'Accept-Language': accepted } : {})).language);
    expect(languages).toEqual(['de', 'de', 'de', 'en', 'de']);
  }
  expect((await get('/alerts/confirm/wrong', {})).language).toBe('en');
  await service.api.patch('/api/v1/me', { json: { language: 'en' } });
});
