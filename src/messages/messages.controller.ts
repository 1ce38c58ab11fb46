import { Catch, Controller, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { Answering, ProblemMessage } from './answering';

@Catch(ProblemMessage)
class ProblemMessageFilter implements RpcExceptionFilter<ProblemMessage> {
  catch({ content }: ProblemMessage): Observable<never> {
    return throwError(() => content);
  }
}

@Controller()
@UseFilters(ProblemMessageFilter)
export class MessagesController {
  constructor(private readonly messages: Answering) {}

  @MessagePattern('websites.list')
  listWebsites(@Payload() message: unknown) {
    return this.messages.answer('websites.list', message);
  }

  @MessagePattern('websites.show')
  showWebsite(@Payload() message: unknown) {
    return this.messages.answer('websites.show', message);
  }

  @MessagePattern('websites.store')
  storeWebsite(@Payload() message: unknown) {
    return this.messages.answer('websites.store', message);
  }

  @MessagePattern('websites.update')
  updateWebsite(@Payload() message: unknown) {
    return this.messages.answer('websites.update', message);
  }

  @MessagePattern('websites.delete')
  deleteWebsite(@Payload() message: unknown) {
    return this.messages.answer('websites.delete', message);
  }

  @MessagePattern('stats.show')
  showStats(@Payload() message: unknown) {
    return this.messages.answer('stats.show', message);
  }

  @MessagePattern('stats.summary')
  summariseStats(@Payload() message: unknown) {
    return this.messages.answer('stats.summary', message);
  }

  @MessagePattern('stats.query')
  queryStats(@Payload() message: unknown) {
    return this.messages.answer('stats.query', message);
  }

  @MessagePattern('stats.values')
  listValues(@Payload() message: unknown) {
    return this.messages.answer('stats.values', message);
  }

  @MessagePattern('names.list')
  listNames(@Payload() message: unknown) {
    return this.messages.answer('names.list', message);
  }

  @MessagePattern('events.record')
  recordEvents(@Payload() message: unknown) {
    return this.messages.answer('events.record', message);
  }
}
