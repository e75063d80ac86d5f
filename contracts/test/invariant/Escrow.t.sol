// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Base} from "../base/Base.sol";
import {EscrowHandler} from "./EscrowHandler.sol";

/// @dev In words, for payouts under everything the handler can do:
/// 1. A payout's money is at the claimed addresses, at its payer, or still there; the sum is what was funded.
/// 2. One funding is paid once: of claim and reclaim racing, never both succeed (checked in the handler).
/// 3. Whether a call succeeds depends on signature, time and balance alone, as the model says (checked in the handler).
/// 4. The escrow itself never holds anything.
contract EscrowInvariantTest is Base {
    EscrowHandler private _handler;

    function setUp() public override {
        super.setUp();
        _handler = new EscrowHandler(escrow, usdc);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    function invariant_moneyIsClaimedReclaimedOrThere() public view {
        uint256 claimed;
        for (uint256 i = 0; i < 3; ++i) {
            uint256 there = usdc.balanceOf(escrow.payoutAddress(_handler.terms(i)));
            vm.assertEq(there + _handler.claimed(i) + _handler.reclaimed(i), _handler.funded(i), "1: money is missing");
            vm.assertEq(usdc.balanceOf(_handler.terms(i).payer), _handler.reclaimed(i), "1: payer");
            claimed += _handler.claimed(i);
        }
        uint256 received = usdc.balanceOf(_handler.recipients(0)) + usdc.balanceOf(_handler.recipients(1));
        vm.assertEq(received, claimed, "1: recipients");
        vm.assertEq(usdc.balanceOf(address(escrow)), 0, "4: escrow holds money");
    }
}
