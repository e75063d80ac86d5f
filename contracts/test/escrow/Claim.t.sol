// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

import {PayoutEscrow} from "../../src/PayoutEscrow.sol";
import {PayoutVault} from "../../src/PayoutVault.sol";
import {Base} from "../base/Base.sol";

contract AnnounceTest is Base {
    function testFuzz_announce_emitsTheTerms(PayoutEscrow.Terms memory terms) public {
        vm.expectEmit(address(escrow));
        emit PayoutEscrow.PayoutAnnounced(
            keccak256(abi.encode(terms)), terms.payer, terms.claimKey, terms.reclaimKey, terms.amount, terms.expiry
        );
        vm.prank(STRANGER);
        escrow.announce(terms);
    }

    /// @dev The address commits to every term.
    function testFuzz_payoutAddress_coversEveryTerm(PayoutEscrow.Terms memory a, PayoutEscrow.Terms memory b)
        public
        view
    {
        vm.assume(keccak256(abi.encode(a)) != keccak256(abi.encode(b)));
        vm.assertTrue(escrow.payoutAddress(a) != escrow.payoutAddress(b), "same address");
        vm.assertEq(escrow.payoutId(a), keccak256(abi.encode(a)));
    }
}

contract ClaimTest is Base {
    PayoutEscrow.Terms private _terms;
    address private _vault;
    bytes32 private _id;

    function setUp() public override {
        super.setUp();
        _terms = someTerms();
        _vault = escrow.payoutAddress(_terms);
        _id = escrow.payoutId(_terms);
        send(_vault, _terms.amount, nonceOf(1, 0));
    }

    function _sign(address to, uint64 atLeast, uint48 deadline) private view returns (bytes32, bytes32) {
        return signClaim(CLAIM, address(escrow), _id, to, atLeast, deadline);
    }

    function _expectRevert(address to, uint64 atLeast, bytes memory reason) private {
        (bytes32 r, bytes32 vs) = _sign(to, atLeast, DEADLINE);
        vm.expectRevert(reason);
        escrow.claim(_terms, to, atLeast, DEADLINE, r, vs);
    }

    function _isAllowed(address to) private view returns (bool) {
        return to != address(0) && to != _terms.payer && to != _vault && to != address(escrow) && to != address(usdc);
    }

    function testFuzz_claim_paysTheSignedRecipient(address to) public {
        vm.assume(_isAllowed(to));
        claim(_terms, to, _terms.amount);
        vm.assertEq(usdc.balanceOf(to), _terms.amount);
        vm.assertEq(usdc.balanceOf(_vault), 0);
        vm.assertTrue(_vault.code.length == 45, "no clone deployed");
    }

    function testFuzz_claim_sweepsTheWholeBalance(uint64 extra) public {
        mint(_vault, extra);
        claim(_terms, RECIPIENT, _terms.amount);
        vm.assertEq(usdc.balanceOf(RECIPIENT), uint256(_terms.amount) + extra);
    }

    function test_claim_acceptsTheLastSecondBeforeExpiry() public {
        vm.warp(_terms.expiry - 1);
        claim(_terms, RECIPIENT, _terms.amount);
        vm.assertEq(usdc.balanceOf(RECIPIENT), _terms.amount);
    }

    function test_claim_reverts_inTheExpirySecond() public {
        vm.warp(_terms.expiry);
        uint48 deadline = _terms.expiry + 300;
        (bytes32 r, bytes32 vs) = _sign(RECIPIENT, 1, deadline);
        vm.expectRevert(abi.encodeWithSelector(PayoutEscrow.PayoutExpired.selector, _terms.expiry, _terms.expiry));
        escrow.claim(_terms, RECIPIENT, 1, deadline, r, vs);
    }

    function test_claim_acceptsTheDeadlineSecond_andRevertsAfter() public {
        (bytes32 r, bytes32 vs) = _sign(RECIPIENT, 1, DEADLINE);
        uint256 snapshot = vm.snapshotState();
        vm.warp(DEADLINE);
        escrow.claim(_terms, RECIPIENT, 1, DEADLINE, r, vs);
        vm.revertToState(snapshot);

        vm.warp(DEADLINE + 1);
        vm.expectRevert(abi.encodeWithSelector(PayoutEscrow.SignatureExpired.selector, DEADLINE, DEADLINE + 1));
        escrow.claim(_terms, RECIPIENT, 1, DEADLINE, r, vs);
    }

    function test_claim_reverts_whenToIsForbidden() public {
        address[5] memory forbidden = [address(0), _terms.payer, _vault, address(escrow), address(usdc)];
        for (uint256 i = 0; i < 5; ++i) {
            _expectRevert(forbidden[i], 1, abi.encodeWithSelector(PayoutEscrow.InvalidRecipient.selector, forbidden[i]));
        }
    }

    function testFuzz_claim_reverts_belowTheSignedMinimum(uint64 atLeast) public {
        atLeast = uint64(bound(atLeast, _terms.amount + 1, type(uint64).max));
        _expectRevert(
            RECIPIENT, atLeast, abi.encodeWithSelector(PayoutVault.BelowMinimum.selector, _terms.amount, atLeast)
        );
        vm.assertEq(_vault.code.length, 0);
    }

    /// @dev C1: an empty sweep never succeeds, even with a signed minimum of zero.
    function test_C1_claim_reverts_whenEmpty() public {
        reclaim(_terms, 1);
        _expectRevert(RECIPIENT, 0, abi.encodeWithSelector(PayoutVault.BelowMinimum.selector, 0, 0));
    }

    /// @dev C1: one micro-USDC of dust cannot make an emptied payout look claimed.
    function test_C1_claim_reverts_whenThePayoutHoldsOnlyDust() public {
        reclaim(_terms, 1);
        mint(_vault, 1);
        _expectRevert(
            RECIPIENT, _terms.amount, abi.encodeWithSelector(PayoutVault.BelowMinimum.selector, 1, _terms.amount)
        );
    }

    function testFuzz_claim_reverts_whenSignedByAnotherKey(uint256 key) public {
        key = bound(key, 1, 1 << 250);
        vm.assume(key != CLAIM);
        (bytes32 r, bytes32 vs) = signClaim(key, address(escrow), _id, RECIPIENT, 1, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(PayoutEscrow.WrongSigner.selector, vm.addr(key), vm.addr(CLAIM)));
        escrow.claim(_terms, RECIPIENT, 1, DEADLINE, r, vs);
    }

    /// @dev A front-runner who changes any argument is refused; one who changes none pays the signed recipient.
    function testFuzz_claim_reverts_whenAnArgumentWasChanged(address to, uint64 atLeast, uint48 deadline) public {
        vm.assume(to != RECIPIENT || atLeast != 1 || deadline != DEADLINE);
        (bytes32 r, bytes32 vs) = _sign(RECIPIENT, 1, DEADLINE);
        bytes memory data = abi.encodeCall(PayoutEscrow.claim, (_terms, to, atLeast, deadline, r, vs));
        vm.assertFalse(attempt(STRANGER, address(escrow), data), "accepted");
        vm.assertEq(usdc.balanceOf(_vault), _terms.amount);
    }

    function test_claim_reverts_forAnotherPayoutOfTheSameKeys() public {
        PayoutEscrow.Terms memory other = _terms;
        other.expiry += 1;
        mint(escrow.payoutAddress(other), _terms.amount);
        (bytes32 r, bytes32 vs) = _sign(RECIPIENT, 1, DEADLINE);
        bytes memory data = abi.encodeCall(PayoutEscrow.claim, (other, RECIPIENT, 1, DEADLINE, r, vs));
        vm.assertFalse(attempt(STRANGER, address(escrow), data), "replayed");
    }

    function test_claim_reverts_onAnotherChainAndEscrow() public {
        (bytes32 r, bytes32 vs) = _sign(RECIPIENT, 1, DEADLINE);
        bytes memory data = abi.encodeCall(PayoutEscrow.claim, (_terms, RECIPIENT, 1, DEADLINE, r, vs));
        vm.chainId(84_532);
        vm.assertFalse(attempt(STRANGER, address(escrow), data), "other chain");
        vm.chainId(8453);
        PayoutEscrow other = PayoutEscrow(deploy("PayoutEscrow", abi.encode(usdc)));
        mint(other.payoutAddress(_terms), _terms.amount);
        vm.assertFalse(attempt(STRANGER, address(other), data), "other escrow");
        vm.assertTrue(attempt(STRANGER, address(escrow), data), "refused where it was signed for");
    }

    function test_claim_reverts_whenSignedAsReclaim() public {
        (bytes32 r, bytes32 vs) = signReclaim(CLAIM, address(escrow), _id, 1, DEADLINE);
        bytes memory data = abi.encodeCall(PayoutEscrow.claim, (_terms, RECIPIENT, 1, DEADLINE, r, vs));
        vm.assertFalse(attempt(STRANGER, address(escrow), data), "accepted a reclaim signature");
    }

    function test_claim_reverts_whenSignatureIsZero() public {
        vm.expectRevert(abi.encodeWithSelector(ECDSA.ECDSAInvalidSignature.selector));
        escrow.claim(_terms, RECIPIENT, 1, DEADLINE, 0, 0);
    }

    /// @dev Terms with a zero claim key can never be claimed, but can be reclaimed as usual.
    function test_claim_reverts_whenTheClaimKeyIsZero() public {
        _terms.claimKey = address(0);
        mint(escrow.payoutAddress(_terms), 5);
        vm.expectRevert(abi.encodeWithSelector(ECDSA.ECDSAInvalidSignature.selector));
        escrow.claim(_terms, RECIPIENT, 1, DEADLINE, 0, 0);
        reclaim(_terms, 1);
    }

    /// @dev A failed claim consumes nothing, so the claim key may sign another recipient.
    function test_claim_acceptsAnotherRecipient_afterOneIsBlacklisted() public {
        setBlacklisted(STRANGER, true);
        _expectRevert(STRANGER, 1, abi.encodeWithSignature("Error(string)", "Blacklistable: account is blacklisted"));
        vm.assertEq(_vault.code.length, 0);
        claim(_terms, RECIPIENT, _terms.amount);
        vm.assertEq(usdc.balanceOf(RECIPIENT), _terms.amount);
    }

    function test_claim_changesNothing_whenUsdcIsPaused() public {
        vm.prank(ADMIN);
        usdc.pause();
        _expectRevert(RECIPIENT, 1, abi.encodeWithSignature("Error(string)", "Pausable: paused"));
        vm.prank(ADMIN);
        usdc.unpause();
        claim(_terms, RECIPIENT, _terms.amount);
    }

    function test_claim_paysMoneyThatArrivesLater() public {
        claim(_terms, RECIPIENT, _terms.amount);
        mint(_vault, 3);
        claim(_terms, RECIPIENT, 1);
        vm.assertEq(usdc.balanceOf(RECIPIENT), uint256(_terms.amount) + 3);
    }

    function testFuzz_vault_reverts_whenNotCalledByItsEscrow(address caller) public {
        vm.assume(caller != address(escrow));
        claim(_terms, RECIPIENT, _terms.amount);
        mint(_vault, 3);
        vm.expectRevert(abi.encodeWithSelector(PayoutVault.NotEscrow.selector, caller));
        vm.prank(caller);
        PayoutVault(_vault).sweep(caller, 1);
    }

    /// @dev A stranger can deploy the clone early, here with dust. The claim still works.
    function test_claim_works_afterAStrangerDeployedTheClone() public {
        PayoutEscrow.Terms memory terms = _terms;
        terms.payer = STRANGER;
        address vault = escrow.payoutAddress(terms);
        mint(vault, 1);
        vm.prank(STRANGER);
        escrow.reclaim(terms, 1, 0, 0, 0);
        vm.assertTrue(vault.code.length > 0, "not deployed");
        mint(vault, terms.amount);
        claim(terms, RECIPIENT, terms.amount);
        vm.assertEq(usdc.balanceOf(RECIPIENT), terms.amount);
    }
}
