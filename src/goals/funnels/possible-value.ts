import { foldCase } from '../../../engine/ground/text-search';
import {
  COMPARISONS,
  passingOne,
  type Test,
  type TextTest,
} from '../../../engine/questions/filter-operators';

type Value = string | null;

/** A condition on the one value that a hit has under a name. */
export interface ValueCondition {
  readonly test: Test;
  readonly values: readonly Value[];
  readonly negated: boolean;
}

/** Counts the units of the texts and parts that are compared. */
export type CountUnits = (units: number) => void;

/** What the value of a hit under a name can still be. */
export class PossibleValue {
  private passes: ((value: Value) => boolean)[] = [];
  /** Undefined if no condition lists values: then it is any text that has the parts, or none. */
  private among: Value[] | undefined;
  /** Of each test the texts, one of which it must pass. All `contains` are separate, since a text has room for several. */
  private needed: { test: TextTest; parts: string[] }[] = [];
  private forbidden: { test: TextTest; part: string }[] = [];

  constructor(private readonly count: CountUnits) {}

  copy(): PossibleValue {
    const copy = new PossibleValue(this.count);
    copy.passes = [...this.passes];
    copy.among = this.among;
    copy.needed = [...this.needed];
    copy.forbidden = [...this.forbidden];
    return copy;
  }

  /** Adds a condition. Returns whether a value can meet it together with those before it. */
  add(condition: ValueCondition): boolean {
    const { test, values, negated } = condition;
    const passes = passing(condition, this.count);
    this.passes.push(passes);
    if (test === 'is' && !negated) this.among ??= values.filter((value) => this.areMetBy(value));
    if (this.among) this.among = this.among.filter(passes);
    else if (test !== 'is') this.addParts(test, foldedOf(values), negated);
    return this.among ? this.among.length > 0 : this.needed.every(({ parts }) => parts.length > 0);
  }

  private areMetBy(value: Value): boolean {
    return this.passes.every((passes) => passes(value));
  }

  private addParts(test: TextTest, parts: string[], negated: boolean): void {
    if (negated) this.forbidden.push(...parts.map((part) => ({ test, part })));
    else this.need(test, parts);
    this.needed = this.needed.map((own) => ({
      ...own,
      parts: own.parts.filter((part) => this.allows(own.test, part)),
    }));
  }

  /** A text begins with two parts if the longer one begins with the other. */
  private need(test: TextTest, parts: string[]): void {
    const known = test === 'contains' ? undefined : this.needed.find((own) => own.test === test);
    if (!known) {
      this.needed.push({ test, parts });
      return;
    }
    const both = known.parts.flatMap((one) => [
      ...(parts.some((part) => this.hasPart(test, one, part)) ? [one] : []),
      ...parts.filter((part) => this.hasPart(test, part, one)),
    ]);
    this.needed = this.needed.map((own) => (own === known ? { test, parts: [...new Set(both)] } : own));
  }

  /** Tells whether no text that passes this test has a forbidden part for this alone. */
  private allows(test: TextTest, part: string): boolean {
    return !this.forbidden.some(
      (other) =>
        (other.test === 'contains' || other.test === test) && this.hasPart(other.test, part, other.part),
    );
  }

  private hasPart(test: TextTest, text: string, part: string): boolean {
    this.count(text.length + part.length);
    return COMPARISONS[test](part)(text);
  }
}

function passing({ test, values, negated }: ValueCondition, count: CountUnits): (value: Value) => boolean {
  if (test === 'is') {
    const listed = new Set(values);
    return (value) => listed.has(value) !== negated;
  }
  const passes = passingOne(test, values, count);
  return (value) => (value !== null && passes(value)) !== negated;
}

function foldedOf(values: readonly Value[]): string[] {
  return values.map((value) => foldCase(value ?? ''));
}
