import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../auth/api-key.entity';
import { InvalidFields } from '../../engine/ground/errors';
import type { Rows } from '../../engine/ground/rows';
import { ReadMemory } from '../../engine/ground/memory/read-memory';
import { Database } from '../../engine/database/database';
import { Limits } from '../limits/limits';
import { ResourcesService } from '../websites/resources/resources.service';
import { StoreRequests } from '../websites/store-requests';
import { type AnnotatedTime, columnsOfTime } from './annotated-time';
import type { Annotation } from './annotation.entity';
import { AnnotationsRepository } from './annotations.repository';
import { ANNOTATIONS } from './annotations.resource';
import { AnnotationView, type StoreAnnotation, type UpdateAnnotation } from './annotation.dto';
import type { ListAnnotations } from './list-annotations.dto';

@Injectable()
export class AnnotationsService extends ResourcesService<
  Annotation,
  AnnotationView,
  StoreAnnotation,
  UpdateAnnotation
> {
  constructor(
    private readonly annotations: AnnotationsRepository,
    requests: StoreRequests,
    private readonly database: Database,
    private readonly limits: Limits,
    memory: ReadMemory,
  ) {
    super(ANNOTATIONS, annotations, requests, memory);
  }

  override page(ownerId: number, websiteId: number, query: ListAnnotations): Promise<Rows<AnnotationView>> {
    checkDays(query);
    return super.page(ownerId, websiteId, query);
  }

  override version(ownerId: number, websiteId: number, query: ListAnnotations): Promise<unknown[]> {
    checkDays(query);
    return super.version(ownerId, websiteId, query);
  }

  /** What a program repeats by mistake must not fill the website within minutes. */
  override async storeAs(
    { userId, scope }: ApiKey,
    websiteId: number,
    input: StoreAnnotation,
    idempotencyKey?: string,
  ): Promise<AnnotationView> {
    if (scope === 'annotations') {
      const request = this.requestOf(userId, websiteId, input, idempotencyKey);
      const made = await this.annotations.findMadeBefore(userId, websiteId, request);
      if (made) return AnnotationView.of(this.asSent(made, input));
      const { refusal } = this.limits.take('new-annotations', { website: websiteId });
      if (refusal) throw refusal;
    }
    return this.store(userId, websiteId, input, idempotencyKey);
  }

  override async store(
    ownerId: number,
    websiteId: number,
    input: StoreAnnotation,
    idempotencyKey?: string,
  ): Promise<AnnotationView> {
    const { at, text, public: isPublic = 0 } = input;
    // Both have one clock, because `asSent` knows the moment by `createdAt`.
    const now = await this.database.now();
    const time = at === undefined ? momentOf(now) : columnsOfTime(at, this.annotations.clock);
    const stored = { ...time, text, public: isPublic };
    // It is known by what was sent, which need not have a time.
    const request = this.requestOf(ownerId, websiteId, input, idempotencyKey);
    return AnnotationView.of(
      await this.annotations.insert(ownerId, websiteId, stored, request, new Date(now)),
    );
  }

  protected override changedBy(before: Annotation, { at, ...sent }: UpdateAnnotation): Annotation {
    const time = at === undefined ? {} : columnsOfTime(at, this.annotations.clock);
    return { ...super.changedBy(before, sent), ...time };
  }

  /** Shows the annotation as it was first stored, because such a key must not read later changes. */
  private asSent(made: Annotation, { at, text, public: isPublic = 0 }: StoreAnnotation): Annotation {
    const { createdAt, updatedAt } = made;
    if (createdAt.getTime() === updatedAt.getTime()) return made;
    const time = at === undefined ? momentOf(createdAt.getTime()) : columnsOfTime(at, this.annotations.clock);
    return { ...made, ...time, text, public: isPublic, updatedAt: createdAt };
  }
}

function momentOf(now: number): AnnotatedTime {
  return { day: null, moment: new Date(1000 * Math.floor(now / 1000)) };
}

function checkDays({ from = 0, to = Infinity }: ListAnnotations): void {
  if (from > to) throw new InvalidFields({ to: ['must not be before "from"'] });
}
