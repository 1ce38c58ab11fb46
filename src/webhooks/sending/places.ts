import type { Busy, Claim } from './claims.repository';

/**
 * In all; for endpoints without a quick success so far; among them, for those that are slow or fail; among these, for
 * those that failed many times in a row; and for one user. A webhook has one.
 */
const PLACES = { all: 16, unproven: 13, slow: 10, failing: 4, ofUser: 2 };

/** The attempts under way in this process. */
export class SendingPlaces {
  private readonly claims = new Set<Claim>();

  get isFull(): boolean {
    return this.claims.size >= PLACES.all;
  }

  take(claim: Claim): void {
    this.claims.add(claim);
  }

  leave(claim: Claim): void {
    this.claims.delete(claim);
  }

  deliveryIds(): number[] {
    return [...this.claims].map(({ delivery }) => delivery.id);
  }

  busy(): Busy {
    const claims = [...this.claims];
    const ofUsers = new Map<number, number>();
    for (const { userId } of claims) ofUsers.set(userId, 1 + (ofUsers.get(userId) ?? 0));
    return {
      webhookIds: claims.map(({ delivery }) => delivery.webhookId),
      userIds: [...ofUsers].filter(([, own]) => own >= PLACES.ofUser).map(([userId]) => userId),
      areUnproven: claims.filter(({ isSlow, isNew }) => isSlow || isNew).length >= PLACES.unproven,
      areSlow: claims.filter(({ isSlow }) => isSlow).length >= PLACES.slow,
      areFailing: claims.filter(({ isFailing }) => isFailing).length >= PLACES.failing,
    };
  }
}
