-- Why a lane does not send is an alarm of its worker, so that it cannot outlive its cause.
drop table parked_lanes;
