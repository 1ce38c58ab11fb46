import { Catch, Controller, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { type BaseRpcContext, Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { Answering, ProblemMessage } from './answering';
import { originOf } from './origin';
import { UNKNOWN_MESSAGE } from './packets';
import { USE_CASES } from './use-cases';

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

  @MessagePattern([...Object.keys(USE_CASES), UNKNOWN_MESSAGE])
  answer(@Payload() message: unknown, @Ctx() context: BaseRpcContext) {
    return this.messages.answer(originOf(context), message);
  }
}
