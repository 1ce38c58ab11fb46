import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourceController, resourcePath } from '../../websites/resources/resource.controller';
import { ALERTS } from './alerts.resource';
import { AlertsService } from './alerts.service';

@ApiTags('Alerts')
@Controller(resourcePath(ALERTS.path))
export class AlertsController extends ResourceController(ALERTS, AlertsService) {}
