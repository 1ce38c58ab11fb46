import { Injectable, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { BudgetName } from '../../config/rate-limits';
import type { BodyKind } from './read-body';
import { MCP_PATH, type MeasuredRoute, pathOf } from './requests';

/** What the path of a request decides before its body is read. */
interface Rules {
  budget: BudgetName;
  /** Callers with a key, anyone, or callers with a session of the console. Others pass uncounted. */
  gate?: 'key' | 'anyone' | 'session';
  /** Undefined if no body is read. */
  body?: BodyKind;
  /** POST opens a session, so it needs a key instead of one. */
  signsIn?: true;
}

export interface Route extends Rules {
  pattern: string;
  /** Empty if there is no such route. */
  methods: ReadonlySet<string>;
  /** The console means the route of this name under `/api/v1`. */
  isOfApi: boolean;
}

export const Budget = Reflector.createDecorator<BudgetName>();
export const ReadsBody = Reflector.createDecorator<BodyKind>();
export const SignsIn = Reflector.createDecorator<true>();

const API = '/api/v1';
const CONSOLE_API = '/console/api';

/** Rules for everything below a path, besides those of the controllers. */
const AREAS: Record<string, Partial<Rules>> = {
  '/api': { gate: 'key', body: 'fields' },
  [CONSOLE_API]: { gate: 'session', body: 'fields' },
  '/share': { gate: 'anyone' },
  '/alerts': { gate: 'anyone' },
  '/reports': { gate: 'anyone' },
  '/unsubscribe': { gate: 'anyone' },
};
/** Browsers send them without a session, so the console has no use for the route. */
const NOT_FOR_CONSOLE = 'events';

/** Longer names are no part of a pattern. */
const MAX_NAME = 64;

class Place {
  readonly children = new Map<string, Place>();
  /** Children that belong to the API. */
  ofApi: ReadonlyMap<string, Place> | undefined;
  parameter: Place | undefined;
  readonly methods = new Set<string>();
  below: Partial<Rules> | undefined;
  at: Partial<Rules> | undefined;

  constructor(readonly pattern: string) {}

  get name(): string {
    return this.pattern.slice(this.pattern.lastIndexOf('/') + 1);
  }

  next(sent: string): Place | undefined {
    const name = sent.length > MAX_NAME ? '' : sent.toLowerCase();
    return this.children.get(name) ?? this.ofApi?.get(name) ?? (sent === '' ? undefined : this.parameter);
  }

  child(name: string): Place {
    const known = name.startsWith(':') ? this.parameter : this.children.get(name);
    if (known) return known;
    const made = new Place(`${this.pattern}/${name}`);
    if (name.startsWith(':')) this.parameter = made;
    else this.children.set(name, made);
    // A name and a parameter side by side would make the route depend on the order of controllers.
    if (this.parameter && this.children.size > 0) throw new Error(`${made.pattern} is ambiguous`);
    return made;
  }
}

const NOWHERE = new Place('');
/** Other paths and methods would be labels without an end. */
const UNKNOWN = '(none)';

/** All routes. Spelling counts as it does for Express: in any case, and with or without a slash at the end. */
@Injectable()
export class Routes {
  private readonly root = new Place('');
  /** Several steps ask for the route of a request. */
  private readonly known = new WeakMap<Request, Route>();

  constructor(modules: ModulesContainer) {
    for (const [path, rules] of Object.entries(AREAS)) this.placeOf(path).below = rules;
    this.add('POST', MCP_PATH, { gate: 'key', budget: 'statistics', body: 'fields' });
    for (const { metatype } of new DiscoveryService(modules).getControllers())
      if (metatype) this.addController(metatype as Type);
    const api = new Map(this.placeOf(API).children);
    api.delete(NOT_FOR_CONSOLE);
    this.placeOf(CONSOLE_API).ofApi = api;
  }

  add(method: string, path: string, rules: Partial<Rules> = {}): void {
    const place = this.placeOf(path);
    place.methods.add(method);
    if (method === 'GET') place.methods.add('HEAD');
    place.at = { ...place.at, ...rules };
  }

  of(request: Request): Route {
    const route = this.known.get(request) ?? this.find(pathOf(request));
    this.known.set(request, route);
    return route;
  }

  /** The names of a request in measures: those of a route, however it is spelled. */
  readonly measured = (request: Request): MeasuredRoute => {
    const { pattern, methods, isOfApi } = this.of(request);
    if (methods.size === 0) return { route: UNKNOWN, method: UNKNOWN };
    const method = methods.has(request.method) ? request.method : UNKNOWN;
    return { route: isOfApi ? pattern.replace(API, CONSOLE_API) : pattern || '/', method };
  };

  private find(path: string): Route {
    let rules: Rules = { budget: 'management' };
    let place: Place | undefined = this.root;
    let isOfApi = false;
    for (let at = 0; place && at < path.length;) {
      if (place.below) rules = { ...rules, ...place.below };
      if (at + 1 === path.length && path.endsWith('/')) break;
      const end: number = path.indexOf('/', at + 1) < 0 ? path.length : path.indexOf('/', at + 1);
      const { ofApi }: Place = place;
      place = place.next(path.slice(at + 1, end));
      isOfApi ||= place !== undefined && ofApi?.get(place.name) === place;
      at = end;
    }
    const { at, pattern, methods } = place ?? NOWHERE;
    return { ...rules, ...at, pattern, methods, isOfApi };
  }

  private addController(controller: Type): void {
    const path = Reflect.getMetadata(PATH_METADATA, controller) as string;
    const common = rulesOf(controller);
    if (Object.keys(common).length > 0) {
      const place = this.placeOf(path);
      place.below = { ...place.below, ...common };
    }
    const handlers = controller.prototype as Record<string, object>;
    for (const name of new MetadataScanner().getAllMethodNames(handlers)) {
      const handler = handlers[name]!;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined) continue;
      const rest = Reflect.getMetadata(PATH_METADATA, handler) as string;
      this.add(RequestMethod[method], `${path}/${rest}`, { ...common, ...rulesOf(handler) });
    }
  }

  private placeOf(path: string): Place {
    return path
      .split('/')
      .filter((name) => name !== '')
      .reduce((place, name) => place.child(name), this.root);
  }
}

function rulesOf(target: object): Partial<Rules> {
  const decorators = { budget: Budget, body: ReadsBody, signsIn: SignsIn };
  const set = Object.entries(decorators).map(([name, { KEY }]) => [
    name,
    Reflect.getMetadata(KEY, target) as unknown,
  ]);
  return Object.fromEntries(set.filter(([, value]) => value !== undefined)) as Partial<Rules>;
}
