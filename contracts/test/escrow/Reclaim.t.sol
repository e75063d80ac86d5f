// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PayoutEscrow} from "../../src/PayoutEscrow.sol";
import {PayoutVault} from "../../src/PayoutVault.sol";
import {Base} from "../base/Base.sol";

contract ReclaimTest is Base {
    PayoutEscrow.Terms private _terms;
    address private _vault;
    bytes32 private _id;

    function setUp() public override {
        super.setUp();
        _terms = someTerms();
        _terms.payer = STRANGER;
        _vault = escrow.payoutAddress(_terms);
        _id = escrow.payoutId(_terms);
        mint(_vault, _terms.amount);
    }

    function testFuzz_reclaim_paysThePayer_bySignature(address submitter, uint64 extra) public {
        vm.assume(submitter != STRANGER);
        mint(_vault, extra);
        (bytes32 r, bytes32 vs) = signReclaim(RECLAIM, address(escrow), _id, _terms.amount, DEADLINE);
        vm.prank(submitter);
        escrow.reclaim(_terms, _terms.amount, DEADLINE, r, vs);
        vm.assertEq(usdc.balanceOf(STRANGER), uint256(_terms.amount) + extra);
    }

    function test_reclaim_paysThePayer_whenThePayerCalls() public {
        vm.prank(STRANGER);
        escrow.reclaim(_terms, 1, 0, 0, 0);
        vm.assertEq(usdc.balanceOf(STRANGER), _terms.amount);
    }

    function testFuzz_reclaim_paysThePayer_whenAnyoneCalls_afterExpiry(address caller, uint48 later) public {
        vm.warp(uint256(_terms.expiry) + bound(later, 0, 3650 days));
        vm.prank(caller);
        escrow.reclaim(_terms, 1, 0, 0, 0);
        vm.assertEq(usdc.balanceOf(STRANGER), _terms.amount);
    }

    function test_reclaim_reverts_whenAStrangerCalls_inTheSecondBeforeExpiry() public {
        vm.warp(_terms.expiry - 1);
        vm.expectRevert(abi.encodeWithSelector(PayoutEscrow.SignatureExpired.selector, 0, _terms.expiry - 1));
        escrow.reclaim(_terms, 1, 0, 0, 0);
    }

    function testFuzz_reclaim_reverts_whenSignedByAnotherKey(uint256 key) public {
        key = bound(key, 1, 1 << 250);
        vm.assume(key != RECLAIM);
        (bytes32 r, bytes32 vs) = signReclaim(key, address(escrow), _id, 1, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(PayoutEscrow.WrongSigner.selector, vm.addr(key), vm.addr(RECLAIM)));
        escrow.reclaim(_terms, 1, DEADLINE, r, vs);
    }

    /// @dev The claim key cannot replace the reclaim key.
    function test_reclaim_reverts_withTheClaimKey() public {
        (bytes32 r, bytes32 vs) = signReclaim(CLAIM, address(escrow), _id, 1, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(PayoutEscrow.WrongSigner.selector, vm.addr(CLAIM), vm.addr(RECLAIM)));
        escrow.reclaim(_terms, 1, DEADLINE, r, vs);
    }

    function testFuzz_reclaim_reverts_whenAnArgumentWasChanged(uint64 atLeast, uint48 deadline, uint48 expiry) public {
        PayoutEscrow.Terms memory terms = _terms;
        terms.expiry = uint48(bound(expiry, START + 1, type(uint48).max));
        vm.assume(atLeast != 1 || deadline != DEADLINE || terms.expiry != _terms.expiry);
        mint(escrow.payoutAddress(terms), 5);
        (bytes32 r, bytes32 vs) = signReclaim(RECLAIM, address(escrow), _id, 1, DEADLINE);
        bytes memory data = abi.encodeCall(PayoutEscrow.reclaim, (terms, atLeast, deadline, r, vs));
        vm.assertFalse(attempt(RECIPIENT, address(escrow), data), "accepted");
    }

    function test_reclaim_acceptsTheDeadlineSecond_andRevertsAfter() public {
        (bytes32 r, bytes32 vs) = signReclaim(RECLAIM, address(escrow), _id, 1, DEADLINE);
        uint256 snapshot = vm.snapshotState();
        vm.warp(DEADLINE);
        escrow.reclaim(_terms, 1, DEADLINE, r, vs);
        vm.revertToState(snapshot);

        vm.warp(DEADLINE + 1);
        vm.expectRevert(abi.encodeWithSelector(PayoutEscrow.SignatureExpired.selector, DEADLINE, DEADLINE + 1));
        escrow.reclaim(_terms, 1, DEADLINE, r, vs);
    }

    function testFuzz_reclaim_reverts_belowTheMinimum(uint64 atLeast) public {
        atLeast = uint64(bound(atLeast, _terms.amount + 1, type(uint64).max));
        vm.expectRevert(abi.encodeWithSelector(PayoutVault.BelowMinimum.selector, _terms.amount, atLeast));
        vm.prank(STRANGER);
        escrow.reclaim(_terms, atLeast, 0, 0, 0);
    }

    function test_C1_reclaim_reverts_whenClaimedAlready() public {
        claim(_terms, RECIPIENT, _terms.amount);
        vm.expectRevert(abi.encodeWithSelector(PayoutVault.BelowMinimum.selector, 0, 0));
        vm.prank(STRANGER);
        escrow.reclaim(_terms, 0, 0, 0, 0);
    }

    /// @dev Reclaiming an address that is not yet funded changes nothing; money that arrives later follows the rules.
    function test_reclaim_changesNothing_onAnUnfundedAddress() public {
        PayoutEscrow.Terms memory terms = _terms;
        terms.expiry = START;
        vm.expectRevert(abi.encodeWithSelector(PayoutVault.BelowMinimum.selector, 0, 0));
        escrow.reclaim(terms, 0, 0, 0, 0);
        vm.assertEq(escrow.payoutAddress(terms).code.length, 0);

        mint(escrow.payoutAddress(terms), 7);
        escrow.reclaim(terms, 7, 0, 0, 0);
        vm.assertEq(usdc.balanceOf(STRANGER), 7);
    }

    function test_reclaim_returnsMoneyThatArrivesLater() public {
        reclaim(_terms, 1);
        mint(_vault, 3);
        reclaim(_terms, 1);
        vm.assertEq(usdc.balanceOf(STRANGER), uint256(_terms.amount) + 3);
    }

    function test_reclaim_changesNothing_whenThePayerIsBlacklisted() public {
        setBlacklisted(STRANGER, true);
        vm.warp(_terms.expiry);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "Blacklistable: account is blacklisted"));
        escrow.reclaim(_terms, 1, 0, 0, 0);
        setBlacklisted(STRANGER, false);
        escrow.reclaim(_terms, 1, 0, 0, 0);
        vm.assertEq(usdc.balanceOf(STRANGER), _terms.amount);
    }

    /// @dev If Circle blacklists one payout, the others still work.
    function test_reclaim_works_whenAnotherPayoutIsBlacklisted() public {
        PayoutEscrow.Terms memory other = _terms;
        other.amount = 1e6;
        mint(escrow.payoutAddress(other), 1e6);
        setBlacklisted(_vault, true);
        vm.prank(STRANGER);
        escrow.reclaim(other, 1e6, 0, 0, 0);
        vm.assertEq(usdc.balanceOf(STRANGER), 1e6);
    }
}
