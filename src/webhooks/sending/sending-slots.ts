import type { Busy, Claim } from './claims.repository';

const SLOTS = {
  all: 16,
  /** Endpoints without a quick success so far. */
  unproven: 13,
  /** Of these, those that are slow or fail. */
  slow: 10,
  /** Of these, those that failed many times in a row. */
  failing: 4,
  /** A webhook has one. */
  ofUser: 2,
};

/** The attempts under way in this process. */
export class SendingSlots {
  private readonly claims = new Set<Claim>();

  get isFull(): boolean {
    return this.claims.size >= SLOTS.all;
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
      userIds: [...ofUsers].filter(([, own]) => own >= SLOTS.ofUser).map(([userId]) => userId),
      areUnproven: claims.filter(({ isSlow, isNew }) => isSlow || isNew).length >= SLOTS.unproven,
      areSlow: claims.filter(({ isSlow }) => isSlow).length >= SLOTS.slow,
      areFailing: claims.filter(({ isFailing }) => isFailing).length >= SLOTS.failing,
    };
  }
}
