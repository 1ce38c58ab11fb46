import Bowser from 'bowser';
import { isbot } from 'isbot';
import { ByteCache, bytesOfText } from '../../engine/ground/memory/byte-cache';
import { BROWSERS, DEVICES, type Named, RENAMED, SYSTEMS } from './known-browsers';
import { UNKNOWN } from './cut-value';
import { hashesOfText } from '../../engine/ground/lists/keyed-hash';

export interface Agent {
  browser: string;
  browserVersion: string | null;
  operatingSystem: string;
  operatingSystemVersion: string | null;
  device: string;
  /** A program, not a person. An agent that does not identify itself counts as one. */
  isBot: boolean;
}

type Parser = Bowser.Parser.Parser;
type Recognised = [name: string, version: string | null];

export const MAX_AGENT_LENGTH = 1024;
const LIBRARY_BROWSERS = new Set([...Object.values(Bowser.BROWSER_MAP), ...Object.keys(RENAMED)]);

/** Automated browsers that are missing from the library's list. */
const AUTOMATION = /puppeteer|slimerjs|jsdom|htmlunit|casperjs|nightmare|happy-?dom|testcafe|webdriver/i;

const BYTES_PER_AGENT = 100;
const agents = new ByteCache<Agent, number>(
  'agents',
  (agent) => BYTES_PER_AGENT + bytesOfText(agent.browserVersion) + bytesOfText(agent.operatingSystemVersion),
);

/** Derives an agent's browser, system and device; versions are major versions. */
export function deriveAgent(userAgent: string): Agent {
  const text = userAgent.slice(0, MAX_AGENT_LENGTH);
  return agents.getOrMake(hashOf(text), () => agentOf(text));
}

/** A hash of 53 bits, so that no user agent stays in memory. */
function hashOf(text: string): number {
  const [low, high] = hashesOfText(text);
  return (high >>> 11) * 2 ** 32 + low;
}

function isProgram(text: string): boolean {
  return text.trim() === '' || isbot(text) || AUTOMATION.test(text);
}

function agentOf(text: string): Agent {
  const parser = Bowser.getParser(text || ' ', true);
  const [browser, browserVersion] = firstOf(BROWSERS, text) ?? browserOf(parser);
  const [operatingSystem, operatingSystemVersion] = firstOf(SYSTEMS, text) ?? systemOf(parser);
  const [device] = firstOf(DEVICES, text) ?? [UNKNOWN];
  const isBot = isProgram(text);
  return { browser, browserVersion, operatingSystem, operatingSystemVersion, device, isBot };
}

function firstOf(known: readonly Named[], text: string): Recognised | undefined {
  for (const [name, pattern] of known) {
    const match = pattern.exec(text);
    if (match) return [name, major(match[1])];
  }
  return undefined;
}

/** For an unknown browser, the library returns some word of the text, which may be anything. */
function browserOf(parser: Parser): Recognised {
  const { name = '', version } = parser.parseBrowser();
  return LIBRARY_BROWSERS.has(name) ? [wordingOf(name), major(version)] : [UNKNOWN, null];
}

function systemOf(parser: Parser): Recognised {
  const { name, version, versionName } = parser.parseOS();
  if (!name) return [UNKNOWN, null];
  if (name === 'Windows') return [name, major(versionName)];
  if (name === 'iOS') return [name, iosVersion(parser.getUA(), major(version))];
  return [wordingOf(name), major(version)];
}

/** Since iOS 26 Safari puts the true version only in its own, and always 18 in the system's. */
function iosVersion(text: string, version: string | null): string | null {
  const safari = /\bVersion\/(\d+)/.exec(text)?.[1];
  return safari !== undefined && Number(safari) >= 26 ? major(safari) : version;
}

function wordingOf(name: string): string {
  return RENAMED[name] ?? name;
}

function major(version: string | undefined): string | null {
  return /^\d{1,6}(?!\d)/.exec(version ?? '')?.[0] ?? null;
}
