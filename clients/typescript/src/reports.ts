import type { Answer } from './operations.ts';
import type { CallOptions } from './request.ts';
import type { IfMatch, Service } from './resources.ts';

/** The mailed reports of a website. */
export class Reports {
  private readonly service: Service;

  constructor(service: Service) {
    this.service = service;
  }

  /** The addresses besides the owner's, and whether each has confirmed. */
  recipients(websiteId: number, options?: CallOptions) {
    return this.service.send<Answer<'getReportRecipients'>>(recipientsPath(websiteId), options);
  }

  /** Replaces the list. New addresses are asked by mail. */
  setRecipients(websiteId: number, recipients: readonly string[], { ifMatch, ...options }: IfMatch = {}) {
    return this.service.send<Answer<'setReportRecipients'>>(recipientsPath(websiteId), {
      method: 'PUT',
      body: { recipients },
      headers: { 'If-Match': ifMatch },
      ...options,
    });
  }

  /** Sends the last report now, three times a day at most. It is not retried after a 503, because it may be on its way. */
  sendNow(websiteId: number, options?: CallOptions) {
    return this.service.send<Answer<'sendReport'>>(`/api/v1/websites/${websiteId}/report/send`, {
      method: 'POST',
      isRepeatable: false,
      ...options,
    });
  }
}

const recipientsPath = (websiteId: number) => `/api/v1/websites/${websiteId}/report-recipients`;
