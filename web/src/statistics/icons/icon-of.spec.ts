import { iconOf } from './icon-of';
import type { Name } from '../../shared/names';

it.each<[Name, string, object | undefined]>([
  ['country', 'DE', { flag: 'DE' }],
  ['country', '(other)', { shape: 'others' }],
  ['city', 'Paris, Ile-de-France, FR', { flag: 'FR' }],
  ['city', 'Singapore, SG', { flag: 'SG' }],
  ['referrer', 'google.co.uk', { mark: 'google-icon' }],
  ['referrer', 'images.google.de', { mark: 'google-icon' }],
  ['referrer', 'mail.google.com', { mark: 'google-gmail' }],
  ['referrer', 'old.reddit.com', { mark: 'reddit-icon' }],
  ['referrer', 'com.slack', { mark: 'slack-icon' }],
  ['referrer', '(direct)', { shape: 'direct' }],
  ['referrer_page', 'github.com/milepost/milepost', { mark: 'github-icon' }],
  ['source', 'Twitter', { mark: 'x' }],
  ['source', 'google', { mark: 'google-icon' }],
  ['referrer', 'de.wikipedia.org', { mark: 'simple-wikipedia' }],
  ['referrer', 'amazon.co.jp', { mark: 'simple-amazon' }],
  ['browser', 'Firefox', { mark: 'firefox' }],
  ['browser_version', 'Chrome 141', { mark: 'chrome' }],
  ['operating_system_version', 'Windows 11', { mark: 'microsoft-windows-icon' }],
  ['device', 'mobile', { shape: 'mobile' }],
  ['page', '/', undefined],
  ['language', 'de', undefined],
])('of %s "%s"', (name, value, icon) => expect(iconOf(name, value)).toEqual(icon));

it.each<[Name, string, string]>([
  ['country', '(unknown)', '?'],
  ['city', '(unknown)', '?'],
  ['referrer', 'google.evil.example', 'G'],
  ['referrer', 'evilgithub.com', 'E'],
  ['referrer', '', '?'],
  ['browser', 'constructor', 'C'],
  ['browser', '(unknown)', 'U'],
  ['source', 'über', 'Ü'],
])('is a neutral letter for %s "%s"', (name, value, letter) =>
  expect(iconOf(name, value)).toEqual({ letter, tone: expect.any(Number) as number }),
);

it('has the same tone for the same value', () =>
  expect(iconOf('referrer', 'news.example')).toEqual(iconOf('referrer', 'news.example')));
