import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourceController, resourcePath } from '../../websites/resources/resource.controller';
import { SAVED_FILTERS } from './saved-filters.resource';
import { SavedFiltersService } from './saved-filters.service';

@ApiTags('Saved filters')
@Controller(resourcePath(SAVED_FILTERS.path))
export class SavedFiltersController extends ResourceController(SAVED_FILTERS, SavedFiltersService) {}
