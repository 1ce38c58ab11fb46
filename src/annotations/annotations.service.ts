import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../auth/api-key.entity';
import { InvalidFields } from '../../engine/ground/errors';
import type { Rows } from '../../engine/ground/rows';
import { ReadMemory } from '../../engine/database/connections/read-memory';
import { Database } from '../../engine/database/database';
import { Limits } from '../limits/limits';
import { ResourcesService } from '../websites/resources/resources.service';
import { type StoreRequest, StoreRequests } from '../websites/store-requests';
import { type AnnotatedTime, columnsOfTime } from './annotated-time';
import type { Annotation } from './annotation.entity';
import { AnnotationsRepository } from './annotations.repository';
import { AnnotationView, type StoreAnnotation, type UpdateAnnotation } from './annotation.dto';
import type { ListAnnotations } from './list-annotations.dto';

@Injectable()
export class AnnotationsService extends ResourcesService<Annotation, AnnotationView, 'annotation'> {
  constructor(
    private readonly annotations: AnnotationsRepository,
    private readonly storeRequests: StoreRequests,
    private readonly database: Database,
    private readonly limits: Limits,
    memory: ReadMemory,
  ) {
    super(annotations, storeRequests, memory, {
      what: 'Annotation',
      object: 'annotation',
      viewOf: AnnotationView.of,
    });
  }

  override page(ownerId: number, websiteId: number, query: ListAnnotations): Promise<Rows<AnnotationView>> {
    checkDays(query);
    return super.page(ownerId, websiteId, query);
  }

  override version(ownerId: number, websiteId: number, query: ListAnnotations): Promise<unknown[]> {
    checkDays(query);
    return super.version(ownerId, websiteId, query);
  }

  /** For a key. What a program repeats by mistake must not fill the website within minutes. */
  async storeAs(
    { userId, scope }: Pick<ApiKey, 'userId' | 'scope'>,
    websiteId: number,
    input: StoreAnnotation,
    idempotencyKey?: string,
  ): Promise<AnnotationView> {
    if (scope === 'annotations') {
      const request = this.requestOf(userId, websiteId, input, idempotencyKey);
      const made = await this.annotations.findMadeBefore(userId, websiteId, request);
      if (made) return AnnotationView.of(this.asSent(made, input));
      const { refusal } = this.limits.newAnnotation(websiteId);
      if (refusal) throw refusal;
    }
    return this.store(userId, websiteId, input, idempotencyKey);
  }

  async store(
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
    const request = this.requestOf(ownerId, websiteId, input, idempotencyKey);
    return AnnotationView.of(
      await this.annotations.insert(ownerId, websiteId, stored, request, new Date(now)),
    );
  }

  update(
    ownerId: number,
    websiteId: number,
    id: number,
    sent: UpdateAnnotation,
    isExpected?: (current: AnnotationView) => boolean,
  ): Promise<AnnotationView> {
    const changed = (annotation: Annotation): Annotation => ({
      ...annotation,
      ...(sent.at !== undefined && columnsOfTime(sent.at, this.annotations.clock)),
      text: sent.text ?? annotation.text,
      public: sent.public ?? annotation.public,
    });
    return this.change(ownerId, websiteId, id, changed, isExpected);
  }

  /** It is known by what was sent, which need not have a time. */
  private requestOf(
    ownerId: number,
    websiteId: number,
    input: StoreAnnotation,
    key: string | undefined,
  ): StoreRequest | undefined {
    if (key === undefined) return undefined;
    return this.storeRequests.of(ownerId, key, input, `annotation of website ${websiteId} `);
  }

  /** As it was made: such a key reads no later change of the owner. */
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
