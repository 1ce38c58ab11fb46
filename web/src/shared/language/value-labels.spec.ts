import type { Name } from '../names';
import { labelOf, regionOf, wholeOf, wordsOf } from './value-labels';

it.each<[Name, string, string, string, string]>([
  ['referrer', 'com.slack', 'Slack', 'Slack (com.slack)', 'com.slack'],
  ['referrer', 'com.unknown', 'com.unknown', 'com.unknown', 'com.unknown'],
  ['referrer', 'constructor', 'constructor', 'constructor', 'constructor'],
  ['referrer', '(direct)', 'Direct or unknown', 'Direct or unknown', 'Direct or unknown'],
  ['city', 'Paris, Ile-de-France, FR', 'Paris', 'Paris, Ile-de-France, FR', 'Paris, Ile-de-France, FR'],
  ['city', '(unknown)', 'Unknown', 'Unknown', 'Unknown'],
  ['screen_resolution', '1920x1080', '1920×1080', '1920×1080', '1920x1080'],
  ['device', 'tv', 'TV', 'TV', 'tv'],
  ['device', 'toString', 'toString', 'toString', 'toString'],
  ['page', '/1920x1080', '/1920x1080', '/1920x1080', '/1920x1080'],
  ['city', 'a\u202Eb, c, DE', 'a\uFFFDb', 'a\uFFFDb, c, DE', 'a\uFFFDb, c, DE'],
])('of %s "%s" are short, whole, and as files have them', (name, value, words, whole, label) =>
  expect([wordsOf(name, value), wholeOf(name, value), labelOf(name, value)]).toEqual([words, whole, label]),
);

it.each([
  ['Paris, Ile-de-France, FR', 'Ile-de-France'],
  ['Singapore, SG', ''],
  ['Washington, District, of Columbia, US', 'District, of Columbia'],
  ['(unknown)', ''],
])('name the region of %s', (city, region) => expect(regionOf(city)).toBe(region));
