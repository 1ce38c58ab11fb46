import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { NamedResource } from './resource.entity';

const MOMENT = { type: String, format: 'date-time', example: '2026-01-31T12:00:00.000Z' } as const;

/** What all resources show. */
export class ResourceView {
  @ApiProperty({ type: 'integer', example: 1 })
  id!: number;

  @ApiProperty(MOMENT)
  created_at!: string;

  @ApiProperty(MOMENT)
  updated_at!: string;
}

export class NamedResourceView extends ResourceView {
  @ApiProperty({ maxLength: 100, example: 'Signup' })
  name!: string;
}

/** The view of a resource, with its own fields between its name and its moments. */
export function shownAs<T extends object>(
  { id, name, createdAt, updatedAt }: NamedResource,
  own: T,
): Pick<NamedResourceView, keyof NamedResourceView> & T {
  return { id, name, ...own, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}

/** The confirmation that a resource was deleted. */
export interface Deletion {
  id: number;
  object: string;
  deleted: true;
}

export function deletionOf(object: string, name: string): new () => Deletion {
  @ApiSchema({ description: `The confirmation that an object of the kind ${object} was deleted.` })
  class View implements Deletion {
    @ApiProperty({ type: 'integer', example: 1 })
    id!: number;

    @ApiProperty({ enum: [object], example: object })
    object!: string;

    @ApiProperty({ enum: [true], example: true })
    deleted!: true;
  }
  return Object.defineProperty(View, 'name', { value: name });
}
