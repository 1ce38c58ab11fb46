import { type Browser, chromium, type Page } from 'playwright-core';

export interface TestBrowser {
  /** Errors on the console and in scripts, of all pages. */
  complaints: string[];
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/** Chromium as the system has it, kept from calling home. */
export async function openBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const complaints: string[] = [];
  const newPage = async () => {
    const page = await browser.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    return page;
  };
  return { complaints, newPage, close: () => browser.close() };
}
