import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core';
import { PATIENCE_MS, until } from './until';

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface TestBrowser {
  /** Errors on the console and in scripts, of all pages. */
  complaints: string[];
  newPage(options?: BrowserContextOptions): Promise<Page>;
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The system's Chromium, which `test/needs.mjs` finds, without calls home. The headless shell uses half the processor
 * time of the whole browser, so it runs unless the whole browser is requested.
 */
export async function openBrowser({
  args = [],
  isWhole = false,
  ...options
}: LaunchOptions & { isWhole?: boolean } = {}): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: isWhole ? process.env.CHROMIUM : process.env.CHROMIUM_HEADLESS_SHELL,
    args: [...QUIET, ...args],
    timeout: PATIENCE_MS,
    ...options,
  });
  const complaints: string[] = [];
  const newPage = async (options?: BrowserContextOptions) => {
    const page = await browser.newPage(options);
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    return page;
  };
  const closePages = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  };
  return { complaints, newPage, closePages, close: () => browser.close() };
}

/**
 * A browser that nothing controls, because a controlled one does not prerender. Returns a function that ends all its
 * processes, which would otherwise continue to write to the profile.
 */
export function leaveBrowserAt(address: string): () => Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'milepost-browser-'));
  const parameters = ['--headless', '--no-first-run', `--user-data-dir=${profile}`, ...QUIET, address];
  const browser = spawn(process.env.CHROMIUM!, parameters, { stdio: 'ignore', detached: true });
  const ended = once(browser, 'exit');
  return async () => {
    process.kill(-browser.pid!, 'SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  };
}

/** Polls, as `waitForFunction` does with an eval that our Content-Security-Policy forbids. */
export const untilTrue = (page: Page, condition: string) => until(() => page.evaluate<boolean>(condition));
