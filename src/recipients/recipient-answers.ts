import type { Request, Response } from 'express';
import { shownDomain } from '../../engine/ground/shown-domain';
import { type Words, wordsFor } from '../http/words/words';
import { answerPage } from '../mail/link-page';
import type { UsersService } from '../users/users.service';
import type { WebsitesRepository } from '../websites/websites.repository';
import type { RecipientState, Topic } from './recipient';
import type { RecipientLinks } from './recipient-links';
import type { RecipientsRepository } from './recipients.repository';

export interface Visit {
  request: Request;
  response: Response;
}

type Decision = Exclude<RecipientState, 'pending'>;
type Page = keyof Omit<Words[Topic], 'notValid'>;

/** The pages before and after each decision. */
const PAGES: Record<Decision, { asks: Page; done: Page }> = {
  confirmed: { asks: 'asks', done: 'confirmed' },
  unsubscribed: { asks: 'asksToStop', done: 'stopped' },
};

/** What the links in the mails of a topic answer. */
export class RecipientAnswers {
  constructor(
    private readonly topic: Topic,
    private readonly links: RecipientLinks,
    private readonly recipients: RecipientsRepository,
    private readonly websites: WebsitesRepository,
    private readonly users: UsersService,
  ) {}

  /** Changes nothing. */
  ask(visit: Visit, token: string, decision: Decision): Promise<string> {
    return this.answer(visit, token, async (websiteId, address) => {
      const state = await this.recipients.findStateUnscoped(websiteId, address);
      return state === decision ? PAGES[decision].done : PAGES[decision].asks;
    });
  }

  decide(visit: Visit, token: string, decision: Decision): Promise<string> {
    return this.answer(visit, token, async (websiteId, address) => {
      await this.recipients.decideUnscoped(websiteId, address, decision);
      return PAGES[decision].done;
    });
  }

  private async answer(
    { request, response }: Visit,
    token: string,
    pageFor: (websiteId: number, address: string) => Promise<Page>,
  ): Promise<string> {
    const { topic } = this;
    const subscription = this.links.read(topic, token);
    const website = subscription && (await this.websites.findUnscoped(subscription.websiteId));
    if (!subscription || !website) {
      const { language, [topic]: words } = wordsFor(request);
      return answerPage(response, 404, { language, ...words.notValid });
    }
    // As the mail with the link.
    const owner = await this.users.show(website.userId);
    const { language, [topic]: words } = wordsFor(request, owner.language);
    const page = await pageFor(website.id, subscription.address);
    // Whoever stopped the mails can change their mind with the same token.
    const again = page === 'stopped' && { action: `../confirm/${token}` };
    const shown = words[page](shownDomain(website.domain), subscription.address);
    return answerPage(response, 200, { language, ...shown, ...again });
  }
}
