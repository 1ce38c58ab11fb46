import { useRef, useState } from 'preact/hooks';
import { urlOf } from '../../shared/api';
import { daysOnly, type Span } from '../../shared/ranges';
import { useAnswer } from '../../shared/use-answer';
import type { Annotation, AnnotationsAccess, AnnotationsAnswer } from './annotations';

/** The longest page; a chart with more marks would not be read. */
const PER_PAGE = 100;

export interface Annotations {
  /** Of the span, the latest first; empty until they are known. */
  list: Annotation[];
  total: number;
  /** Call it after a change. */
  update: () => void;
}

/** Requested once the figures are there, which do not wait for it. */
export function useAnnotations(
  access: AnnotationsAccess | undefined,
  span: Span | undefined,
  isLoading: boolean,
): Annotations {
  const [turn, setTurn] = useState(0);
  const url = access && span && urlOf(access.url, { ...daysOnly(span), per_page: PER_PAGE });
  const requested = useRef<string | undefined>(undefined);
  if (!isLoading) requested.current = url;
  const { data, isOther, failure } = useAnswer<AnnotationsAnswer>(requested.current, turn);
  const known = isOther || failure || requested.current !== url ? undefined : data;
  return { list: known?.data ?? [], total: known?.meta.total ?? 0, update: () => setTurn(turn + 1) };
}
